// Installs session loops in Claude Code without its marketplace: hooks in its settings, and command files. Never changes
// what others wrote; uninstalling restores the previous state.
import fs from "node:fs";
import path from "node:path";
import type { Json } from "#agents/shared/read-json";
import { UsageError } from "#spec/errors";
import { withCap, withoutCap } from "../claude-cap.ts";
import { BLOCK_CAP, capIn, HOOKS, readSettings, settingsFiles, userFolder } from "../claude-settings.ts";
import { expectObject, ownHooks } from "../hook-text.ts";
import { parseJsonText } from "../json-text.ts";
import { inPackage, ownCommand } from "../own-package.ts";
import { MAX_ITERATIONS } from "../sessions/session-task.ts";
import { installParts, type Parts, uninstallParts } from "./parts.ts";
import type { Installed, Place } from "./place.ts";

/** Timeout of a hook in seconds, long enough for gates. */
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

/** Rejects a second installation with another command: both would answer every turn. Claude Code runs equal commands once. */
function rejectSecondInstallation({ settings, hooks }: Parts, { dir, env }: Place): void {
  for (const file of settingsFiles(path.resolve(dir), env).filter((other) => other !== settings))
    for (const [event, entry] of Object.entries(hooks))
      for (const own of ownHooks(readSettings(file)?.settings, "claude", event))
        if (own.entry.command !== entry.command)
          throw new UsageError(
            `${file}: expected no other installation, got one that calls \`${own.entry.command}\`; both would answer every turn. Uninstall that one first, or keep it: it works here too. Nothing was changed`,
          );
}

/** Parses settings and validates that the cap can be added. */
function parseForCap(file: string, text: string): Json {
  const settings = parseJsonText(text) as Json;
  const { env = {} } = settings;
  expectObject(file, '"env"', env);
  return settings;
}

function describeCap(was: unknown, is: unknown, file: string): readonly string[] {
  if (was === is) return [];
  const instead = was === undefined ? "" : ` (it was ${was})`;
  return [
    `Set ${BLOCK_CAP} to ${is} in ${file}${instead}: Claude Code stops a loop after that many turns in a row without a tool call.`,
  ];
}

function notesFor(settings: Json, options: Place, portable: boolean) {
  const notes = [
    'In Claude Code: /ralph "TASK" --gate "npm test". See also /ralph-status and /cancel-ralph.',
  ];
  if (options.scope === "project" && !portable)
    notes.push(
      "The hooks use an absolute path, which works on this machine only. For shared settings, run: npm install -g converge-loop, then install again.",
    );
  if (settings.disableAllHooks === true)
    notes.push('Claude Code runs no hooks at all while its settings contain "disableAllHooks": true.');
  return notes;
}

export function installClaude(place: Place): Installed {
  const { env, maxIterations = MAX_ITERATIONS } = place;
  const parts = partsFor(place);
  const { settings } = parts;
  rejectSecondInstallation(parts, place);
  const { was, is, done } = installParts(parts, (text) =>
    withCap(text, parseForCap(settings, text), maxIterations),
  );
  return {
    done: [...done, ...describeCap(capIn(was), capIn(is), settings)],
    notes: notesFor(is, place, ownCommand(env).portable),
  };
}

export function uninstallClaude(place: Place): Installed {
  const parts = partsFor(place);
  const iterations = place.maxIterations ?? MAX_ITERATIONS;
  let cap: unknown;
  const done = uninstallParts(parts, (before) => {
    const { text, keptCap } = withoutCap(before, parseForCap(parts.settings, before), iterations);
    cap = keptCap;
    return text;
  });
  const notes =
    cap === undefined
      ? []
      : [
          `Left ${BLOCK_CAP} at ${cap} in ${parts.settings}: installing writes ${iterations}, so someone else set it, or it was raised for a longer loop.`,
        ];
  return { done, notes };
}
