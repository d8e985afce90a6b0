// Helpers to read untrusted JSON without assuming its shape.

import { isObject, type Json } from "#text/json";

export { isObject, type Json };

/** Parses a line; undefined when it is not a JSON object. */
export function parseObject(line: string): Json | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Makes a line reader that calls `read` with each JSON object and ignores other lines. */
export function jsonLines<T>(read: (line: Json) => readonly T[]): (text: string) => readonly T[] {
  return (text) => {
    const line = parseObject(text);
    return line ? read(line) : [];
  };
}

/** The value at the path of keys. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

export function textAt(value: unknown, ...keys: readonly string[]): string {
  const found = at(value, ...keys);
  return typeof found === "string" ? found : "";
}

/** A finite number from 0; undefined for anything else. */
export function countAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const found = at(value, ...keys);
  return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : undefined;
}

export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** Sum of the known counts; undefined when none is known. */
export function sum(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}
