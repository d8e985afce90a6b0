// Reads, compares and sets one value in a JSON file without touching the rest.

/** A parsed JSON file with its text. */
export interface Json {
  readonly value: unknown;
  readonly text: string;
}

const BOM = "\ufeff";

/** Returns undefined when the bytes are not JSON. */
export function parseJson(bytes: Buffer | undefined): Json | undefined {
  const text = bytes?.toString("utf8");
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text.startsWith(BOM) ? text.slice(1) : text), text };
  } catch {
    return undefined;
  }
}

type Keys = readonly string[];
type Fields = Record<string, unknown>;

/** Whether the key can address a field of the value: any key in an object, a number in a list. */
function hasFields(value: unknown, key: string): value is Fields {
  if (Array.isArray(value)) return /^\d+$/.test(key);
  return typeof value === "object" && value !== null;
}

/** Returns undefined when there is no value at the keys; JSON itself has no undefined. */
export function valueAt(value: unknown, [first, ...rest]: Keys): unknown {
  if (first === undefined) return value;
  return hasFields(value, first) && Object.hasOwn(value, first) ? valueAt(value[first], rest) : undefined;
}

/** Truncates a list at the removed value: JSON has no holes. */
function removeKey(copy: Fields, key: string): void {
  if (Array.isArray(copy)) copy.length = Math.min(copy.length, Number(key));
  else delete copy[key];
}

/** Returns a copy with `replacement` at the keys; undefined removes the value. */
export function withValue(value: unknown, [first, ...rest]: Keys, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  if (!hasFields(value, first) && replacement === undefined) return value;
  const fields = hasFields(value, first) ? value : {};
  const copy = (Array.isArray(fields) ? [...fields] : { ...fields }) as Fields;
  const inner = withValue(Object.hasOwn(copy, first) ? copy[first] : undefined, rest, replacement);
  // Not by assignment: a key may be named __proto__.
  const property = { value: inner, enumerable: true, writable: true, configurable: true };
  if (inner === undefined) removeKey(copy, first);
  else Object.defineProperty(copy, first, property);
  return copy;
}

/** Formats the value like the given text: same indentation, line endings, final newline and BOM. */
export function formatLike(text: string, value: unknown): string {
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "";
  const lines = JSON.stringify(value, null, indent) + (text.endsWith("\n") ? "\n" : "");
  return (text.startsWith(BOM) ? BOM : "") + (text.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines);
}
