// Installs and removes the opencode plugin. Never touches files of others.
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

/** Version of our plugin file; undefined when there is none. Throws when the file is not ours. */
function installedVersion(file: string, action: string): string | undefined {
  const owner = ownerOf(file, (text) => text.startsWith(OURS));
  if (owner === "another")
    throw new UsageError(
      `${file} exists and was not written by Converge, so it is not ${action}; move or rename it, and try again`,
    );
  return owner === "us" ? readIfThere(file)?.slice(OURS.length).split(" ", 1)[0] : undefined;
}

/** Absolute command for the plugin; undefined when `converge` is on the PATH, or in a project, which other machines share. */
function commandLine({ scope, env }: Place): readonly string[] | undefined {
  const isOnPath = which("converge", env.PATH ?? "") !== undefined;
  return isOnPath || scope === "project" ? undefined : [process.execPath, inPackage("bin", "converge.js")];
}

function notesFor({ scope, env }: Place, command: readonly string[] | undefined): string[] {
  const isOnPath = which("converge", env.PATH ?? "") !== undefined;
  const teamNote =
    "Everyone who works in this project needs `converge` on the PATH: `npm install -g converge-loop`.";
  return [
    "Restart opencode to get /ralph, /ralph-status and /cancel-ralph.",
    ...(command ? [`\`converge\` is not on the PATH: the plugin will use ${command.join(" ")}.`] : []),
    ...(scope === "project" && !isOnPath ? [teamNote] : []),
  ];
}

export function installOpencode(place: Place): Installed {
  const file = fileFor(place);
  const before = installedVersion(file, "overwritten");
  const command = commandLine(place);
  const text = [
    `${OURS}${VERSION} as a plugin for opencode. Remove it with: converge hook uninstall opencode --${place.scope}`,
    ...(command ? [`const CONVERGE_COMMAND = ${JSON.stringify(command)};`] : []),
    fs.readFileSync(inPackage("dist", "opencode", "plugin.js"), "utf8"),
  ].join("\n");
  const notes = notesFor(place, command);
  if (readIfThere(file) === text) return { done: [], notes };
  writeWhole(file, text);
  const instead = before === undefined ? "" : `, replacing version ${before}`;
  return { done: [`Wrote the plugin for opencode, version ${VERSION}, to ${file}${instead}.`], notes };
}

export function uninstallOpencode(place: Place): Installed {
  const file = fileFor(place);
  const before = installedVersion(file, "removed");
  if (before === undefined) return { done: [], notes: [] };
  removeFile(file);
  // Removes the folders too, unless they contain other files.
  const plugins = path.dirname(file);
  removeEmpty(place.scope === "project" ? [plugins, path.dirname(plugins)] : [plugins]);
  return {
    done: [`Removed the plugin for opencode, version ${before}: ${file}.`],
    notes: ["A running opencode keeps the plugin until it is restarted."],
  };
}
