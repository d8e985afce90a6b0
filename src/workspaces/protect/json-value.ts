// One value in a JSON file: read, compared, and set without touching the rest.
import { isDeepStrictEqual } from "node:util";

/** What a file says, when it is JSON; undefined when it is not. */
export interface Json {
  readonly value: unknown;
  readonly text: string;
}

const BOM = "\ufeff";

export function parsed(bytes: Buffer | undefined): Json | undefined {
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

/** What a key can lead into: an object, or by a number a list. */
function hasFields(value: unknown, key: string): value is Fields {
  if (Array.isArray(value)) return /^\d+$/.test(key);
  return typeof value === "object" && value !== null;
}

/** Undefined when the keys lead nowhere; JSON itself has no such value. */
export function valueAt(value: unknown, [first, ...rest]: Keys): unknown {
  if (first === undefined) return value;
  return hasFields(value, first) && Object.hasOwn(value, first) ? valueAt(value[first], rest) : undefined;
}

/** A list ends where a value is taken out: JSON has no holes. */
function drop(copy: Fields, key: string): void {
  if (Array.isArray(copy)) copy.length = Math.min(copy.length, Number(key));
  else delete copy[key];
}

/** A copy with another value at the keys; without one when it is undefined. */
export function withValue(value: unknown, [first, ...rest]: Keys, wanted: unknown): unknown {
  if (first === undefined) return wanted;
  if (!hasFields(value, first) && wanted === undefined) return value;
  const fields = hasFields(value, first) ? value : {};
  const copy = (Array.isArray(fields) ? [...fields] : { ...fields }) as Fields;
  const inner = withValue(Object.hasOwn(copy, first) ? copy[first] : undefined, rest, wanted);
  // Not by assignment: a key may be called __proto__.
  const property = { value: inner, enumerable: true, writable: true, configurable: true };
  if (inner === undefined) drop(copy, first);
  else Object.defineProperty(copy, first, property);
  return copy;
}

/** The value as text in the manner of a file: its indentation, its line ends, its last line. */
export function inTheMannerOf(text: string, value: unknown): string {
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "";
  const lines = JSON.stringify(value, null, indent) + (text.endsWith("\n") ? "\n" : "");
  return (text.startsWith(BOM) ? BOM : "") + (text.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines);
}

export const same = isDeepStrictEqual;
