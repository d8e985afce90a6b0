// Finds JSON objects among other output lines: on one line, or over several lines with the braces on their own.
import { isObject } from "#text/json";

export interface JsonObject {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The line it ends on. */
  readonly endsAt: number;
}

/** Finds the objects with the key in linear time: every line is parsed at most once. */
export function jsonObjects(text: string, key: string): readonly JsonObject[] {
  const quotedKey = `"${key}"`;
  if (!text.includes(quotedKey)) return [];
  const objects: JsonObject[] = [];
  const lines = text.split("\n");
  let start = -1;
  for (const [at, line] of lines.entries()) {
    if (line === "{") start = at;
    else if (line === "}" && start >= 0) {
      objects.push(...objectIn(lines.slice(start, at + 1).join("\n"), quotedKey, at));
      start = -1;
      // Test output without a line end may precede the object.
    } else if (line.includes('{"')) objects.push(...objectIn(line.slice(line.indexOf('{"')), quotedKey, at));
  }
  return objects.filter(({ fields }) => key in fields);
}

/** The value as an object with unknown fields; empty for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A non-negative integer; 0 for anything else. */
export function numberOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

function objectIn(json: string, quotedKey: string, endsAt: number): readonly JsonObject[] {
  if (!json.includes(quotedKey)) return [];
  try {
    return [{ fields: fieldsOf(JSON.parse(json)), endsAt }];
  } catch {
    return [];
  }
}
