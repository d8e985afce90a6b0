// Values with their source locations, and the problems that are reported at them: file, line and column.
import type { Finding, Path } from "#options/issues";
import { ConfigError } from "#spec/errors";

export interface Origin {
  /** Location of the key ("converge.yaml:4:3"), or of the value when it has no key. */
  readonly keyAt: string;
  readonly valueAt: string;
  /** Base folder of relative paths in this value. */
  readonly dir: string;
}

export type Located = Origin &
  (
    | { readonly kind: "map"; readonly entries: ReadonlyMap<string, Located> }
    | { readonly kind: "list"; readonly items: readonly Located[] }
    | { readonly kind: "leaf"; readonly value: unknown }
  );

export type LocatedMap = Extract<Located, { kind: "map" }>;

/** Limits that no real task file reaches; they stop recursive and exploding YAML anchors. */
export const MAX_DEPTH = 40;
export const MAX_NODES = 10_000;

/** Assigning this key would change the prototype of the plain value. */
export const FORBIDDEN_KEY = "__proto__";

export function emptyMap(origin: Origin): LocatedMap {
  return { ...origin, kind: "map", entries: new Map() };
}

export function child(node: Located | undefined, key: string | number): Located | undefined {
  if (node?.kind === "map") return node.entries.get(String(key));
  if (node?.kind === "list" && typeof key === "number") return node.items[key];
  return undefined;
}

/** The items of a list; a single value counts as a list of one. */
export function itemsOf(node: Located | undefined): readonly Located[] {
  return node?.kind === "list" ? node.items : node ? [node] : [];
}

/** The node at the path, or its deepest existing ancestor. */
function closest(node: Located, path: Path): Located {
  const [first, ...rest] = path;
  const next = first === undefined ? undefined : child(node, first);
  return next === undefined ? node : closest(next, rest);
}

/** The text of a leaf; undefined for any other node. */
export function textOf(node: Located | undefined): string | undefined {
  return node?.kind === "leaf" && typeof node.value === "string" ? node.value : undefined;
}

/** The plain value, without locations. */
export function plainValue(node: Located): unknown {
  if (node.kind === "leaf") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainValue(entry)]));
}

/** Methods that mark a part object of the SDK, which becomes a leaf and is used as it is. */
const PART_METHODS = ["run", "judge", "recall"] as const;

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return !PART_METHODS.some((method) => typeof (value as Record<string, unknown>)[method] === "function");
}

/** Locates a value that was not read from a file: every node gets `origin`. Drops undefined keys. */
export function locate(value: unknown, origin: Origin, ancestors: readonly unknown[] = []): Located {
  if (!Array.isArray(value) && !isMap(value)) return { ...origin, kind: "leaf", value };
  if (ancestors.length >= MAX_DEPTH || ancestors.includes(value))
    throw new ConfigError([`${origin.valueAt}: nested more than ${MAX_DEPTH} levels deep`]);
  const ancestorsAndSelf = [...ancestors, value];
  if (Array.isArray(value))
    return { ...origin, kind: "list", items: value.map((item) => locate(item, origin, ancestorsAndSelf)) };
  if (Object.hasOwn(value, FORBIDDEN_KEY))
    throw new ConfigError([`${origin.valueAt}: the key "${FORBIDDEN_KEY}" is not allowed`]);
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .map(([key, entry]) => [key, locate(entry, origin, ancestorsAndSelf)] as const);
  return { ...origin, kind: "map", entries: new Map(entries) };
}

export interface Problem {
  readonly at: string;
  readonly message: string;
}

/** Collects all problems of a task, so that the user sees every mistake at once. */
export interface Problems {
  add(at: string, message: string): void;
  /** Adds the findings of a schema, each located at its key or value. */
  addFindings(tree: Located, findings: readonly Finding[]): void;
  readonly none: boolean;
  error(): ConfigError;
}

export function collectProblems(): Problems {
  const lines = new Set<string>();
  const add = (at: string, message: string) => void lines.add(`${at}: ${message}`);
  return {
    add,
    addFindings(tree, findings) {
      for (const { path, about, message } of findings) {
        const node = closest(tree, path);
        add(about === "key" ? node.keyAt : node.valueAt, message);
      }
    },
    get none() {
      return lines.size === 0;
    },
    error: () => new ConfigError([...lines]),
  };
}

/** The merged task that is read, and where its problems are reported. */
export interface TaskReader {
  readonly tree: LocatedMap;
  readonly problems: Problems;
  /** Location for messages about a missing key. */
  readonly where: string;
}
