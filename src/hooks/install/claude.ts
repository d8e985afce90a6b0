// Sets session loops up in Claude Code without its marketplace: hooks in its settings, commands beside them. Nothing that
// others wrote is touched, and uninstalling leaves what was there before.
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { MAX_ITERATIONS } from "#app/sessions/task";
import { UsageError } from "#spec/errors";
import {
  BLOCK_CAP,
  capIn,
  HOOKS,
  ownHooks,
  readSettings,
  settingsFiles,
  userFolder,
} from "../claude-settings.ts";
import { inPackage, ownCommand } from "../own-package.ts";
import { checked, type Entries, entriesFor, settingsWith, settingsWithout } from "./claude-text.ts";
import { readIfThere, removeEmpty, removeFile, writeWhole } from "./files.ts";
import type { Installed, Place } from "./place.ts";

const COMMANDS = ["ralph", "cancel-ralph", "ralph-status"];
const MARK = "# Part of converge-loop";

interface Places {
  readonly folder: string;
  readonly settings: string;
  readonly commands: readonly { readonly file: string; readonly text: string }[];
}

function placesFor({ scope, dir, env }: Place): Places {
  const folder = scope === "user" ? userFolder(env) : path.resolve(dir, ".claude");
  const commands = COMMANDS.map((name) => ({
    file: path.join(folder, "commands", `${name}.md`),
    text: fs.readFileSync(inPackage("plugins", "claude-code", "commands", `${name}.md`), "utf8"),
  }));
  return { folder, settings: path.join(folder, "settings.json"), commands };
}

function refuseForeign({ commands }: Places): void {
  for (const { file } of commands)
    if (readIfThere(file)?.includes(MARK) === false)
      throw new UsageError(
        `${file}: expected no command of this name, got one that is not ours; rename it, or install the plugin instead, whose command is /converge:ralph. Nothing was changed`,
      );
}

/** Two installations that call us by different names would both answer for every turn; the same command runs once. */
function refuseSecond({ settings }: Places, { dir, env }: Place, entries: Entries): void {
  for (const file of settingsFiles(path.resolve(dir), env).filter((other) => other !== settings))
    for (const [event, entry] of Object.entries(entries))
      for (const own of ownHooks(readSettings(file)?.settings, event))
        if (own.entry.command !== (entry as { command?: unknown }).command)
          throw new UsageError(
            `${file}: expected no other installation, got one that calls \`${own.entry.command}\`; both would answer for every turn. Uninstall that one first, or leave it as it is: it works here too. Nothing was changed`,
          );
}

function notesOn(settings: Readonly<Record<string, unknown>>, options: Place, portable: boolean) {
  const notes: string[] = [];
  if (options.scope === "project" && !portable)
    notes.push(
      "The hooks name a program by its full path, which works on this machine only. For settings that others share: npm install -g converge-loop, then install again.",
    );
  if (settings.disableAllHooks === true)
    notes.push('Claude Code runs no hooks at all while its settings say "disableAllHooks": true.');
  return notes;
}

export function installClaude(options: Place): Installed {
  const { env, maxIterations = MAX_ITERATIONS } = options;
  const places = placesFor(options);
  const { command, portable } = ownCommand(env);
  const entries = entriesFor(command);
  const before = readIfThere(places.settings);
  const after = settingsWith(places.settings, before, entries, maxIterations);
  refuseForeign(places);
  refuseSecond(places, options, entries);

  const done: string[] = [];
  const was = before === undefined ? undefined : checked(places.settings, before);
  const is = checked(places.settings, after);
  if (!isDeepStrictEqual(was?.hooks, is.hooks))
    done.push(`Wrote hooks for ${Object.keys(HOOKS).join(", ")} into ${places.settings}.`);
  if (capIn(was) !== capIn(is))
    done.push(
      `Set ${BLOCK_CAP} to ${capIn(is)} there${capIn(was) === undefined ? "" : ` (it was ${capIn(was)})`}: Claude Code stops a loop by itself after so many turns in a row without a tool call.`,
    );
  if (after !== before) writeWhole(places.settings, after);
  for (const { file, text } of places.commands) {
    if (readIfThere(file) === text) continue;
    writeWhole(file, text);
    done.push(`Wrote ${file}.`);
  }
  const notes = notesOn(is, options, portable);
  return { done, notes };
}

export function uninstallClaude(options: Place): Installed {
  const { settings, commands, folder } = placesFor(options);
  const iterations = options.maxIterations ?? MAX_ITERATIONS;
  const before = readIfThere(settings);
  if (before !== undefined) checked(settings, before);
  const { left, keptCap } = before === undefined ? {} : settingsWithout(before, iterations);

  const done: string[] = [];
  if (before !== left) {
    if (left === undefined) removeFile(settings);
    else writeWhole(settings, left);
    done.push(left === undefined ? `Removed ${settings}.` : `Took our hooks out of ${settings}.`);
  }
  for (const { file } of commands) {
    if (!readIfThere(file)?.includes(MARK)) continue;
    removeFile(file);
    done.push(`Removed ${file}.`);
  }
  const ownFolders = [path.join(folder, "commands"), ...(options.scope === "project" ? [folder] : [])];
  if (done.length > 0) removeEmpty(ownFolders);
  const notes =
    keptCap === undefined
      ? []
      : [
          `Left ${BLOCK_CAP} at ${keptCap} in ${settings}: installing writes ${iterations}, so that is somebody else's wish, or was raised for a longer loop.`,
        ];
  return { done, notes };
}
