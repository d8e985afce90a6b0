// Puts the plugin where opencode looks for plugins, and takes it away again; what others have put there stays as it is.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { packageFile } from "#app/package-file";
import { VERSION } from "#app/version";
import { UsageError } from "#spec/errors";
import { which } from "#system/which";

export interface OpencodePlace {
  readonly scope: "project" | "user";
  /** The project. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Installed {
  /** What was done, in sentences. */
  readonly done: readonly string[];
  /** What people should know besides. */
  readonly notes: readonly string[];
}

const OURS = "// Written by Converge ";
const NAME = path.join("plugin", "converge.js");

function fileFor({ scope, dir, env }: OpencodePlace): string {
  if (scope === "project") return path.join(dir, ".opencode", NAME);
  const config = env.XDG_CONFIG_HOME || path.join(env.HOME || os.homedir(), ".config");
  return path.join(env.OPENCODE_CONFIG_DIR || path.join(config, "opencode"), NAME);
}

/** The first line of the file; undefined when there is none. */
function firstLine(file: string): string | undefined {
  if (!fs.lstatSync(file, { throwIfNoEntry: false })) return undefined;
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile()
    ? fs.readFileSync(file, "utf8").split("\n", 1)[0]
    : "";
}

/** Of a file of ours; undefined when there is none. Throws when somebody else's is in the place. */
function versionIn(file: string, wanted: string): string | undefined {
  const line = firstLine(file);
  if (line !== undefined && !line.startsWith(OURS))
    throw new UsageError(
      `${file} is there and was not written by Converge, so it is not ${wanted}; move it away or rename it, and try again`,
    );
  return line?.slice(OURS.length).split(" ", 1)[0];
}

/** A project is shared, so nothing of this machine is written into it. */
function commandLine({ scope, env }: OpencodePlace): readonly string[] | undefined {
  const found = which("converge", env.PATH ?? "") !== undefined;
  return found || scope === "project" ? undefined : [process.execPath, packageFile("bin/converge.js")];
}

function notesOn({ scope, env }: OpencodePlace, command: readonly string[] | undefined): string[] {
  const onPath = which("converge", env.PATH ?? "") !== undefined;
  const everybody =
    "Whoever works in this project needs `converge` on the PATH: `npm install -g converge-loop`.";
  return [
    "Start opencode again; it then has /ralph, /ralph-status and /cancel-ralph.",
    ...(command ? [`\`converge\` is not on the PATH: the plugin will use ${command.join(" ")}.`] : []),
    ...(scope === "project" && !onPath ? [everybody] : []),
  ];
}

export function installOpencode(place: OpencodePlace): Installed {
  const file = fileFor(place);
  const before = versionIn(file, "overwritten");
  const plugin = packageFile("dist/opencode/plugin.js");
  const command = commandLine(place);
  const text = [
    `${OURS}${VERSION} as a plugin for opencode. Remove it with: converge hook uninstall opencode --${place.scope}`,
    ...(command ? [`const CONVERGE_COMMAND = ${JSON.stringify(command)};`] : []),
    fs.readFileSync(plugin, "utf8"),
  ].join("\n");
  const notes = notesOn(place, command);
  if (before !== undefined && fs.readFileSync(file, "utf8") === text)
    return { done: [`The plugin for opencode was already there: ${file} (version ${VERSION}).`], notes };
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // In one step: opencode may be reading it.
  const fresh = `${file}.${process.pid}.new`;
  fs.writeFileSync(fresh, text);
  fs.renameSync(fresh, file);
  const instead = before === undefined ? "" : `, in place of version ${before}`;
  return { done: [`Wrote the plugin for opencode, version ${VERSION}, to ${file}${instead}.`], notes };
}

export function uninstallOpencode(place: OpencodePlace): Installed {
  const file = fileFor(place);
  const before = versionIn(file, "removed");
  if (before === undefined) return { done: [`There is no plugin of Converge in ${file}.`], notes: [] };
  fs.rmSync(file);
  const emptied = [path.dirname(file), path.dirname(path.dirname(file))];
  // What was made for it goes with it, when nothing else has come in.
  for (const folder of place.scope === "project" ? emptied : emptied.slice(0, 1))
    if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder);
    else break;
  return {
    done: [`Removed the plugin for opencode, version ${before}: ${file}.`],
    notes: ["An opencode that is running keeps it until it ends."],
  };
}
