// Values that remember where they were written, so that any later complaint can point at the line.
import { ConfigError } from "#spec/errors";

export interface Origin {
  /** Where the key stands ("converge.yaml:4:3"), or the value itself when it has no key. */
  readonly keyAt: string;
  readonly valueAt: string;
  /** Folder that relative paths in this value start from. */
  readonly dir: string;
}

export type Located = Origin &
  (
    | { readonly kind: "map"; readonly entries: ReadonlyMap<string, Located> }
    | { readonly kind: "list"; readonly items: readonly Located[] }
    | { readonly kind: "leaf"; readonly value: unknown }
  );

export type LocatedMap = Extract<Located, { kind: "map" }>;

export type Path = readonly (string | number)[];

/** Deeper or larger than any task file: an anchor that contains itself, or a flood. */
export const DEEPEST = 40;
export const LARGEST = 10_000;

/** Would change the prototype of the plain value instead of being a key in it. */
export const FORBIDDEN_KEY = "__proto__";

export function emptyMap(origin: Origin): LocatedMap {
  return { ...origin, kind: "map", entries: new Map() };
}

export function child(node: Located | undefined, key: string | number): Located | undefined {
  if (node?.kind === "map") return node.entries.get(String(key));
  if (node?.kind === "list" && typeof key === "number") return node.items[key];
  return undefined;
}

/** The node at the path, or the deepest one on the way there. */
export function closest(node: Located, path: Path): Located {
  const [first, ...rest] = path;
  const next = first === undefined ? undefined : child(node, first);
  return next === undefined ? node : closest(next, rest);
}

/** The text of a leaf; undefined for anything else. */
export function textOf(node: Located | undefined): string | undefined {
  return node?.kind === "leaf" && typeof node.value === "string" ? node.value : undefined;
}

/** The plain value, without places. */
export function plainValue(node: Located): unknown {
  if (node.kind === "leaf") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainValue(entry)]));
}

/** Live parts of the SDK are leaves: they are used as they are, never looked into. */
const LIVE = ["run", "judge", "recall"] as const;

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return !LIVE.some((method) => typeof (value as Record<string, unknown>)[method] === "function");
}

/** A value that was not read from a file: everything in it stands at `origin`. Undefined keys are absent. */
export function locate(value: unknown, origin: Origin, inside: readonly unknown[] = []): Located {
  if (!Array.isArray(value) && !isMap(value)) return { ...origin, kind: "leaf", value };
  if (inside.length >= DEEPEST || inside.includes(value))
    throw new ConfigError([`${origin.valueAt}: nested more than ${DEEPEST} levels deep`]);
  const within = [...inside, value];
  if (Array.isArray(value))
    return { ...origin, kind: "list", items: value.map((item) => locate(item, origin, within)) };
  if (Object.hasOwn(value, FORBIDDEN_KEY))
    throw new ConfigError([`${origin.valueAt}: the key "${FORBIDDEN_KEY}" is not allowed`]);
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .map(([key, entry]) => [key, locate(entry, origin, within)] as const);
  return { ...origin, kind: "map", entries: new Map(entries) };
}
