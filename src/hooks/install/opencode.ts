// Puts the plugin where opencode looks for plugins, and takes it away again; what others have put there stays as it is.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { VERSION } from "#system/version";
import { which } from "#system/which";
import { inPackage } from "../own-package.ts";
import { readIfThere, removeEmpty, removeFile, writeWhole } from "../settings-file.ts";
import { ownerOf } from "./own-files.ts";
import type { Installed, Place } from "./place.ts";

const OURS = "// Written by Converge ";
const NAME = path.join("plugin", "converge.js");

function fileFor({ scope, dir, env }: Place): string {
  if (scope === "project") return path.join(dir, ".opencode", NAME);
  const config = env.XDG_CONFIG_HOME || path.join(env.HOME || os.homedir(), ".config");
  return path.join(env.OPENCODE_CONFIG_DIR || path.join(config, "opencode"), NAME);
}

/** Of a file of ours; undefined when there is none. Throws when somebody else's is in the place. */
function versionIn(file: string, wanted: string): string | undefined {
  const owner = ownerOf(file, (text) => text.startsWith(OURS));
  if (owner === "another")
    throw new UsageError(
      `${file} is there and was not written by Converge, so it is not ${wanted}; move it away or rename it, and try again`,
    );
  return owner === "us" ? readIfThere(file)?.slice(OURS.length).split(" ", 1)[0] : undefined;
}

/** A project is shared, so nothing of this machine is written into it. */
function commandLine({ scope, env }: Place): readonly string[] | undefined {
  const found = which("converge", env.PATH ?? "") !== undefined;
  return found || scope === "project" ? undefined : [process.execPath, inPackage("bin", "converge.js")];
}

function notesOn({ scope, env }: Place, command: readonly string[] | undefined): string[] {
  const onPath = which("converge", env.PATH ?? "") !== undefined;
  const everybody =
    "Whoever works in this project needs `converge` on the PATH: `npm install -g converge-loop`.";
  return [
    "Start opencode again; it then has /ralph, /ralph-status and /cancel-ralph.",
    ...(command ? [`\`converge\` is not on the PATH: the plugin will use ${command.join(" ")}.`] : []),
    ...(scope === "project" && !onPath ? [everybody] : []),
  ];
}

export function installOpencode(place: Place): Installed {
  const file = fileFor(place);
  const before = versionIn(file, "overwritten");
  const command = commandLine(place);
  const text = [
    `${OURS}${VERSION} as a plugin for opencode. Remove it with: converge hook uninstall opencode --${place.scope}`,
    ...(command ? [`const CONVERGE_COMMAND = ${JSON.stringify(command)};`] : []),
    fs.readFileSync(inPackage("dist", "opencode", "plugin.js"), "utf8"),
  ].join("\n");
  const notes = notesOn(place, command);
  if (readIfThere(file) === text) return { done: [], notes };
  writeWhole(file, text);
  const instead = before === undefined ? "" : `, in place of version ${before}`;
  return { done: [`Wrote the plugin for opencode, version ${VERSION}, to ${file}${instead}.`], notes };
}

export function uninstallOpencode(place: Place): Installed {
  const file = fileFor(place);
  const before = versionIn(file, "removed");
  if (before === undefined) return { done: [], notes: [] };
  removeFile(file);
  // What was made for it goes with it, when nothing else has come in.
  const plugins = path.dirname(file);
  removeEmpty(place.scope === "project" ? [plugins, path.dirname(plugins)] : [plugins]);
  return {
    done: [`Removed the plugin for opencode, version ${before}: ${file}.`],
    notes: ["An opencode that is running keeps it until it ends."],
  };
}
