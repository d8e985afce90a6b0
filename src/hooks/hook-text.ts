// Our hooks in the text of a program's settings: put in, brought up to date, taken out. All else stays as it was written.
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "#spec/errors";
import { isObject, type Json, parseJson } from "./json.ts";
import { put, replace, take } from "./json-text.ts";

/** Our hook for each event, as the program wants it written. */
export type Entries = Readonly<Record<string, Json>>;

export interface OwnHook {
  /** Where it stands in the settings. */
  readonly path: readonly string[];
  readonly entry: Json;
  /** It is all that its group holds. */
  readonly alone: boolean;
}

/** By whatever path the command is called, and whichever version wrote it. */
const OURS = /(?:^|[\s/'"])converge(?:\.js)?['"]?\s+hook\s+([a-z]+)-[a-z]+/;

const isOurs = (command: unknown, host: string) =>
  typeof command === "string" && OURS.exec(command)?.[1] === host;

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const hooksIn = (settings: unknown): Json =>
  isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};

/** Our own hooks for an event in settings, whatever else is in them. */
export function ownHooks(settings: unknown, host: string, event: string): readonly OwnHook[] {
  const hooks = hooksIn(settings);
  return listed(Object.hasOwn(hooks, event) ? hooks[event] : undefined).flatMap((group, at) => {
    const entries = listed(isObject(group) ? group.hooks : undefined);
    return entries.flatMap((entry, index) =>
      isObject(entry) && isOurs(entry.command, host)
        ? [
            {
              path: ["hooks", event, String(at), "hooks", String(index)],
              entry,
              alone: entries.length === 1,
            },
          ]
        : [],
    );
  });
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : isObject(value) ? "an object" : `a ${typeof value}`;
}

function refuse(file: string, what: string, kind: string, value: unknown): never {
  throw new UsageError(
    `${file}: expected ${what} to be ${kind}, got ${kindOf(value)}; mend it, or take it out, and try again. Nothing was changed`,
  );
}

export function expectObject(file: string, what: string, value: unknown): asserts value is Json {
  if (!isObject(value)) refuse(file, what, "an object", value);
}

function parsed(file: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new UsageError(
      `${file}: expected JSON, got something else (${(error as Error).message}); mend it, or move it away, and try again. Nothing was changed`,
    );
  }
}

/** The settings, when there is room in them for hooks for these events. */
export function checked(file: string, text: string, events: readonly string[]): Json {
  const settings = parsed(file, text);
  expectObject(file, "the settings", settings);
  const { hooks = {} } = settings;
  expectObject(file, '"hooks"', hooks);
  for (const event of events)
    if (Object.hasOwn(hooks, event) && !Array.isArray(hooks[event]))
      refuse(file, `"hooks"."${event}"`, "a list", hooks[event]);
  return settings;
}

/** Without one hook; a group that held nothing else goes with it. Undefined when nothing is left at all. */
const takeHook = (text: string, { path, alone }: OwnHook) => take(text, alone ? path.slice(0, -2) : path);

/** Without all of ours for an event, but so many; the last ones first, since each moves those behind it. */
function takeAfter(text: string, host: string, event: string, kept: number): string | undefined {
  const last = ownHooks(parseJson(text), host, event).slice(kept).at(-1);
  if (!last) return text;
  const rest = takeHook(text, last);
  return rest && takeAfter(rest, host, event, kept);
}

function takeEvents(text: string, host: string, isTaken: (event: string) => boolean): string | undefined {
  return Object.keys(hooksIn(parseJson(text)))
    .filter(isTaken)
    .reduceRight<string | undefined>((rest, event) => rest && takeAfter(rest, host, event, 0), text);
}

/** The text with our hook for one event in it, once and up to date. */
function withHook(text: string, host: string, event: string, entry: Json): string {
  const settings = parseJson(text);
  const [own] = ownHooks(settings, host, event);
  if (own) {
    const once = takeAfter(text, host, event, 1) ?? text;
    const wanted = { ...own.entry, ...entry };
    return isDeepStrictEqual(own.entry, wanted) ? once : replace(once, own.path, wanted);
  }
  const group = { hooks: [entry] };
  if (!isObject(settings) || settings.hooks === undefined)
    return put(text, [], "hooks", { [event]: [group] });
  return Object.hasOwn(hooksIn(settings), event)
    ? put(text, ["hooks", event], undefined, group)
    : put(text, ["hooks"], event, [group]);
}

/** The text of a file, when there is one, with exactly these hooks of ours. */
export function withHooks(file: string, text: string | undefined, host: string, entries: Entries): string {
  if (text !== undefined) checked(file, text, Object.keys(entries));
  const others = text === undefined ? undefined : takeEvents(text, host, (event) => !(event in entries));
  if (others === undefined) {
    const hooks = Object.entries(entries).map(([event, entry]) => [event, [{ hooks: [entry] }]]);
    return `${JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
  }
  return Object.entries(entries).reduce((now, [event, entry]) => withHook(now, host, event, entry), others);
}

/** The text without hooks of ours; undefined when nothing else was in it. */
export function withoutHooks(text: string, host: string): string | undefined {
  return takeEvents(text, host, () => true);
}
