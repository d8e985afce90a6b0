// Adds, updates and removes our hooks in the text of a program's settings. Everything else stays byte for byte.
import { isDeepStrictEqual } from "node:util";
import { isObject, type Json } from "#agents/shared/read-json";
import { UsageError } from "#spec/errors";
import { insert, parseJsonText, remove, replace } from "./json-text.ts";

/** Our hook for each event, in the program's format. */
export type Entries = Readonly<Record<string, Json>>;

export interface OwnHook {
  /** Its path in the settings. */
  readonly path: readonly string[];
  readonly entry: Json;
  /** True when its group contains nothing else. */
  readonly alone: boolean;
}

/** Matches our command by any path and from any version. */
const OURS = /(?:^|[\s/'"])converge(?:\.js)?['"]?\s+hook\s+([a-z]+)-[a-z]+/;

const isOurs = (command: unknown, host: string) =>
  typeof command === "string" && OURS.exec(command)?.[1] === host;

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const hooksIn = (settings: unknown): Json =>
  isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};

/** Finds our hooks for an event in settings of any shape. */
export function ownHooks(settings: unknown, host: string, event: string): readonly OwnHook[] {
  const hooks = hooksIn(settings);
  return toList(Object.hasOwn(hooks, event) ? hooks[event] : undefined).flatMap((group, at) => {
    const entries = toList(isObject(group) ? group.hooks : undefined);
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

function describeKind(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : isObject(value) ? "an object" : `a ${typeof value}`;
}

interface Expectation {
  /** The place in the settings, as the message names it. */
  readonly what: string;
  readonly kind: string;
}

function refuse(file: string, { what, kind }: Expectation, value: unknown): never {
  throw new UsageError(
    `${file}: expected ${what} to be ${kind}, got ${describeKind(value)}; fix or remove it, and try again. Nothing was changed`,
  );
}

export function expectObject(file: string, what: string, value: unknown): asserts value is Json {
  if (!isObject(value)) refuse(file, { what, kind: "an object" }, value);
}

function parseFile(file: string, text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw new UsageError(
      `${file}: expected JSON, got something else (${(error as Error).message}); fix the file or move it away, and try again. Nothing was changed`,
    );
  }
}

/** Parses settings and validates that hooks for these events can be added. */
export function parseSettings(file: string, text: string, events: readonly string[]): Json {
  const settings = parseFile(file, text);
  expectObject(file, "the settings", settings);
  const { hooks = {} } = settings;
  expectObject(file, '"hooks"', hooks);
  for (const event of events)
    if (Object.hasOwn(hooks, event) && !Array.isArray(hooks[event]))
      refuse(file, { what: `"hooks"."${event}"`, kind: "a list" }, hooks[event]);
  return settings;
}

/** Removes one hook, and its group when it is empty then. Undefined when nothing is left. */
const removeHook = (text: string, { path, alone }: OwnHook) => remove(text, alone ? path.slice(0, -2) : path);

/** Our hooks of one program for one event. */
interface Slot {
  readonly host: string;
  readonly event: string;
}

/** Removes our hooks for an event except the first `keep`; last ones first, because a removal shifts later indexes. */
function removeHooksAfter(text: string, slot: Slot, keep: number): string | undefined {
  const last = ownHooks(parseJsonText(text), slot.host, slot.event).slice(keep).at(-1);
  if (!last) return text;
  const rest = removeHook(text, last);
  return rest && removeHooksAfter(rest, slot, keep);
}

function removeHooksOf(
  text: string,
  host: string,
  isRemoved: (event: string) => boolean,
): string | undefined {
  return Object.keys(hooksIn(parseJsonText(text)))
    .filter(isRemoved)
    .reduceRight<string | undefined>(
      (rest, event) => rest && removeHooksAfter(rest, { host, event }, 0),
      text,
    );
}

/** Returns the text with exactly one up-to-date hook of ours for an event. */
function withHook(text: string, slot: Slot, entry: Json): string {
  const { host, event } = slot;
  const settings = parseJsonText(text);
  const [own] = ownHooks(settings, host, event);
  if (own) {
    const deduplicated = removeHooksAfter(text, slot, 1) ?? text;
    const updated = { ...own.entry, ...entry };
    return isDeepStrictEqual(own.entry, updated) ? deduplicated : replace(deduplicated, own.path, updated);
  }
  const group = { hooks: [entry] };
  if (!isObject(settings) || settings.hooks === undefined)
    return insert(text, [], { key: "hooks", value: { [event]: [group] } });
  return Object.hasOwn(hooksIn(settings), event)
    ? insert(text, ["hooks", event], { value: group })
    : insert(text, ["hooks"], { key: event, value: [group] });
}

/** Returns validated settings with exactly these hooks of ours; without settings, a new text. */
export function withHooks(text: string | undefined, host: string, entries: Entries): string {
  const others = text === undefined ? undefined : removeHooksOf(text, host, (event) => !(event in entries));
  if (others === undefined) {
    const hooks = Object.entries(entries).map(([event, entry]) => [event, [{ hooks: [entry] }]]);
    return `${JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
  }
  return Object.entries(entries).reduce(
    (now, [event, entry]) => withHook(now, { host, event }, entry),
    others,
  );
}

/** Removes our hooks; undefined when nothing else is left. */
export function withoutHooks(text: string, host: string): string | undefined {
  return removeHooksOf(text, host, () => true);
}
