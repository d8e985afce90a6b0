// How Claude Code's settings read with our hooks and cap in them, and without: texts in, texts out.
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "#spec/errors";
import { BLOCK_CAP, capIn, HOOKS, isObject, ownHooks } from "../claude-settings.ts";
import { withCap } from "./claude-cap.ts";
import { put, replace, take } from "./json-text.ts";

/** Seconds: gates take as long as they take. */
const TIMEOUT = 3_600;

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
export function checked(file: string, text: string): Readonly<Record<string, unknown>> {
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

export type Entries = Readonly<Record<string, object>>;

export function entriesFor(command: string): Entries {
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

export function settingsWith(
  file: string,
  text: string | undefined,
  entries: Entries,
  iterations: number,
): string {
  if (text === undefined) {
    const hooks = Object.entries(entries).map(([event, entry]) => [event, [{ hooks: [entry] }]]);
    const whole = { hooks: Object.fromEntries(hooks), env: { [BLOCK_CAP]: String(iterations) } };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }
  let now = text;
  for (const [event, entry] of Object.entries(entries)) now = withHook(file, now, event, entry);
  return withCap(now, checked(file, now), iterations);
}

/** The text without anything of ours; undefined when nothing else was in it. */
export function settingsWithout(text: string, iterations: number) {
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
