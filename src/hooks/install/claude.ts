// Sets session loops up in Claude Code without its marketplace: hooks in its settings, commands beside them. Nothing that
// others wrote is touched, and uninstalling leaves what was there before.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { withCap, withoutCap } from "../claude-cap.ts";
import { BLOCK_CAP, capIn, HOOKS, readSettings, settingsFiles, userFolder } from "../claude-settings.ts";
import { expectObject, ownHooks } from "../hook-text.ts";
import { type Json, parseJson } from "../json.ts";
import { inPackage, ownCommand } from "../own-package.ts";
import { MAX_ITERATIONS } from "../sessions/session-task.ts";
import { type Parts, putIn, takeOut } from "./parts.ts";
import type { Installed, Place } from "./place.ts";

/** Seconds: gates take as long as they take. */
const TIMEOUT = 3_600;

const COMMANDS = ["ralph", "cancel-ralph", "ralph-status"];

function partsFor({ scope, dir, env }: Place): Parts {
  const folder = scope === "user" ? userFolder(env) : path.resolve(dir, ".claude");
  const commands = path.join(folder, "commands");
  const hook = (name: string) => ({
    type: "command",
    command: `${ownCommand(env).command} hook claude-${name}`,
    timeout: TIMEOUT,
  });
  const file = (name: string) => [
    path.join(commands, `${name}.md`),
    fs.readFileSync(inPackage("plugins", "claude-code", "commands", `${name}.md`), "utf8"),
  ];
  return {
    host: "claude",
    settings: path.join(folder, "settings.json"),
    hooks: Object.fromEntries(Object.entries(HOOKS).map(([event, name]) => [event, hook(name)])),
    files: Object.fromEntries(COMMANDS.map(file)),
    kind: "command",
    remedy: "rename it, or install the plugin instead, whose command is /converge:ralph",
    folders: scope === "project" ? [commands, folder] : [commands],
  };
}

/** Two installations that call us by different names would both answer for every turn; the same command runs once. */
function refuseSecond({ settings, hooks }: Parts, { dir, env }: Place): void {
  for (const file of settingsFiles(path.resolve(dir), env).filter((other) => other !== settings))
    for (const [event, entry] of Object.entries(hooks))
      for (const own of ownHooks(readSettings(file)?.settings, "claude", event))
        if (own.entry.command !== entry.command)
          throw new UsageError(
            `${file}: expected no other installation, got one that calls \`${own.entry.command}\`; both would answer for every turn. Uninstall that one first, or leave it as it is: it works here too. Nothing was changed`,
          );
}

/** Settings that can be read, with room for the cap. */
function withRoom(file: string, text: string): Json {
  const settings = parseJson(text) as Json;
  const { env = {} } = settings;
  expectObject(file, '"env"', env);
  return settings;
}

function capTold(was: unknown, is: unknown, file: string): readonly string[] {
  if (was === is) return [];
  const instead = was === undefined ? "" : ` (it was ${was})`;
  return [
    `Set ${BLOCK_CAP} to ${is} in ${file}${instead}: Claude Code stops a loop by itself after so many turns in a row without a tool call.`,
  ];
}

function notesOn(settings: Json, options: Place, portable: boolean) {
  const notes = [
    'In Claude Code: /ralph "what is wanted" --gate "npm test"; /ralph-status and /cancel-ralph go with it.',
  ];
  if (options.scope === "project" && !portable)
    notes.push(
      "The hooks name a program by its full path, which works on this machine only. For settings that others share: npm install -g converge-loop, then install again.",
    );
  if (settings.disableAllHooks === true)
    notes.push('Claude Code runs no hooks at all while its settings say "disableAllHooks": true.');
  return notes;
}

export function installClaude(place: Place): Installed {
  const { env, maxIterations = MAX_ITERATIONS } = place;
  const parts = partsFor(place);
  const { settings } = parts;
  refuseSecond(parts, place);
  const { was, is, done } = putIn(parts, (text) => withCap(text, withRoom(settings, text), maxIterations));
  return {
    done: [...done, ...capTold(capIn(was), capIn(is), settings)],
    notes: notesOn(is, place, ownCommand(env).portable),
  };
}

export function uninstallClaude(place: Place): Installed {
  const parts = partsFor(place);
  const iterations = place.maxIterations ?? MAX_ITERATIONS;
  let cap: unknown;
  const done = takeOut(parts, (before) => {
    const { text, keptCap } = withoutCap(before, withRoom(parts.settings, before), iterations);
    cap = keptCap;
    return text;
  });
  const notes =
    cap === undefined
      ? []
      : [
          `Left ${BLOCK_CAP} at ${cap} in ${parts.settings}: installing writes ${iterations}, so that is somebody else's wish, or was raised for a longer loop.`,
        ];
  return { done, notes };
}
