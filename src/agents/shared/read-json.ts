// JSON that somebody else wrote: looked into without believing in its shape.

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object on the line; undefined when there is none. */
export function parseObject(line: string): Json | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** For a reader of lines: `read` gets the object on each; a line without one says nothing. */
export function jsonLines<T>(read: (line: Json) => readonly T[]): (text: string) => readonly T[] {
  return (text) => {
    const line = parseObject(text);
    return line ? read(line) : [];
  };
}

/** What the keys lead to. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

export function textAt(value: unknown, ...keys: readonly string[]): string {
  const found = at(value, ...keys);
  return typeof found === "string" ? found : "";
}

/** A number that counts something; undefined for everything else. */
export function countAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const found = at(value, ...keys);
  return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : undefined;
}

export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** The sum of those that are known; undefined when none is. */
export function sum(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}

/** Leaves out what is not known. */
export function known<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
