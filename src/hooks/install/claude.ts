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
  isObject,
  ownHooks,
  readSettings,
  settingsFiles,
  userFolder,
} from "../claude-settings.ts";
import { inPackage, ownCommand } from "../own-package.ts";
import { withCap } from "./claude-cap.ts";
import { readIfThere, removeEmpty, removeFile, writeWhole } from "./files.ts";
import { put, replace, take } from "./json-text.ts";

export interface InstallOptions {
  readonly scope: "project" | "user";
  /** The project's folder. */
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** What most loops will want at most. */
  readonly maxIterations?: number;
}

/** What was done and what should be known, in sentences. */
export interface Installed {
  readonly done: readonly string[];
  readonly notes: readonly string[];
}

/** Seconds: gates take as long as they take. */
const TIMEOUT = 3_600;
const COMMANDS = ["ralph", "cancel-ralph", "ralph-status"];
const MARK = "# Part of converge-loop";

interface Places {
  readonly folder: string;
  readonly settings: string;
  readonly commands: readonly { readonly file: string; readonly text: string }[];
}

function placesFor({ scope, dir, env }: InstallOptions): Places {
  const folder = scope === "user" ? userFolder(env) : path.resolve(dir, ".claude");
  const commands = COMMANDS.map((name) => ({
    file: path.join(folder, "commands", `${name}.md`),
    text: fs.readFileSync(inPackage("plugins", "claude-code", "commands", `${name}.md`), "utf8"),
  }));
  return { folder, settings: path.join(folder, "settings.json"), commands };
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : isObject(value) ? "an object" : `a ${typeof value}`;
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new UsageError(
      `${file}: expected JSON, got something else (${(error as Error).message}); mend it, or move it away, and try again. Nothing was changed`,
    );
  }
}

/** The settings, when there is room in them for what is ours. */
function checked(file: string, text: string): Readonly<Record<string, unknown>> {
  const settings = parsed(file, text);
  const expect = (what: string, isIt: boolean, value: unknown, kind: string) => {
    if (!isIt)
      throw new UsageError(
        `${file}: expected ${what} to be ${kind}, got ${kindOf(value)}; mend it, or take it out, and try again. Nothing was changed`,
      );
  };
  expect("the settings", isObject(settings), settings, "an object");
  const { hooks = {}, env = {} } = settings as { hooks?: unknown; env?: unknown };
  expect('"hooks"', isObject(hooks), hooks, "an object");
  expect('"env"', isObject(env), env, "an object");
  for (const event of Object.keys(HOOKS)) {
    const list = (hooks as Record<string, unknown>)[event];
    expect(`"hooks"."${event}"`, list === undefined || Array.isArray(list), list, "a list");
  }
  return settings as Readonly<Record<string, unknown>>;
}

type Entries = Readonly<Record<string, object>>;

function entriesFor(command: string): Entries {
  return Object.fromEntries(
    Object.entries(HOOKS).map(([event, name]) => [
      event,
      { type: "command", command: `${command} hook claude-${name}`, timeout: TIMEOUT },
    ]),
  );
}

/** The text with our hook for one event in it, once and up to date. */
function withHook(file: string, text: string, event: string, entry: object): string {
  const settings = checked(file, text);
  const hooks = settings.hooks as Readonly<Record<string, unknown>> | undefined;
  const [own, ...more] = ownHooks(settings, event);
  const group = { hooks: [entry] };
  if (own) {
    const once = more.reduceRight((rest, { path: at }) => take(rest, at) ?? rest, text);
    return isDeepStrictEqual(own.entry, entry) ? once : replace(once, own.path, entry);
  }
  if (hooks === undefined) return put(text, [], "hooks", { [event]: [group] });
  return hooks[event] === undefined
    ? put(text, ["hooks"], event, [group])
    : put(text, ["hooks", event], undefined, group);
}

function settingsWith(file: string, text: string | undefined, entries: Entries, iterations: number): string {
  if (text === undefined) {
    const hooks = Object.entries(entries).map(([event, entry]) => [event, [{ hooks: [entry] }]]);
    const whole = { hooks: Object.fromEntries(hooks), env: { [BLOCK_CAP]: String(iterations) } };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }
  let now = text;
  for (const [event, entry] of Object.entries(entries)) now = withHook(file, now, event, entry);
  return withCap(now, checked(file, now), iterations);
}

function refuseForeign({ commands }: Places): void {
  for (const { file } of commands)
    if (readIfThere(file)?.includes(MARK) === false)
      throw new UsageError(
        `${file}: expected no command of this name, got one that is not ours; rename it, or install the plugin instead, whose command is /converge:ralph. Nothing was changed`,
      );
}

/** Two installations that call us by different names would both answer for every turn; the same command runs once. */
function refuseSecond({ settings }: Places, { dir, env }: InstallOptions, entries: Entries): void {
  for (const file of settingsFiles(path.resolve(dir), env).filter((other) => other !== settings))
    for (const [event, entry] of Object.entries(entries))
      for (const own of ownHooks(readSettings(file)?.settings, event))
        if (own.entry.command !== (entry as { command?: unknown }).command)
          throw new UsageError(
            `${file}: expected no other installation, got one that calls \`${own.entry.command}\`; both would answer for every turn. Uninstall that one first, or leave it as it is: it works here too. Nothing was changed`,
          );
}

function notesOn(settings: Readonly<Record<string, unknown>>, options: InstallOptions, portable: boolean) {
  const notes: string[] = [];
  if (options.scope === "project" && !portable)
    notes.push(
      "The hooks name a program by its full path, which works on this machine only. For settings that others share: npm install -g converge-loop, then install again.",
    );
  if (settings.disableAllHooks === true)
    notes.push('Claude Code runs no hooks at all while its settings say "disableAllHooks": true.');
  return notes;
}

export function installClaude(options: InstallOptions): Installed {
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
  return done.length > 0 ? { done, notes } : { done, notes: ["Everything was in place already.", ...notes] };
}

/** The text without anything of ours; undefined when nothing else was in it. */
function settingsWithout(text: string, iterations: number) {
  const settings = JSON.parse(text.replace(/^\ufeff/, ""));
  const cap = capIn(settings);
  const events = isObject(settings.hooks) ? Object.keys(settings.hooks) : [];
  const hooks = events.flatMap((event) => ownHooks(settings, event)).map((own) => own.path);
  const isOurCap = hooks.length > 0 && cap === String(iterations);
  const paths = isOurCap ? [["env", BLOCK_CAP], ...hooks.toReversed()] : hooks.toReversed();
  const left = paths.reduce<string | undefined>((rest, at) => rest && take(rest, at), text);
  const keptCap = hooks.length > 0 && cap !== undefined && !isOurCap ? cap : undefined;
  return { left, keptCap };
}

export function uninstallClaude(options: InstallOptions): Installed {
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
  return done.length > 0 ? { done, notes } : { done, notes: [`There was nothing of ours in ${folder}.`] };
}
