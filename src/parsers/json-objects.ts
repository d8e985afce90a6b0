// The JSON objects that runners print among other lines: on one line, or spread over lines with their braces alone.

export interface JsonObject {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The line it ends on. */
  readonly endsAt: number;
}

/** The objects that have the key. Every line is parsed at most once, so the time is linear. */
export function jsonObjects(text: string, key: string): readonly JsonObject[] {
  const wanted = `"${key}"`;
  if (!text.includes(wanted)) return [];
  const found: JsonObject[] = [];
  const lines = text.split("\n");
  let start = -1;
  for (const [at, line] of lines.entries()) {
    if (line === "{") start = at;
    else if (line === "}" && start >= 0) {
      found.push(...objectIn(lines.slice(start, at + 1).join("\n"), wanted, at));
      start = -1;
      // What a test printed without ending its line stands before the object.
    } else if (line.includes('{"')) found.push(...objectIn(line.slice(line.indexOf('{"')), wanted, at));
  }
  return found.filter(({ fields }) => key in fields);
}

/** The value as an object whose fields may be anything; empty for everything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A whole number that is not negative; 0 for everything else. */
export function numberOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

function objectIn(json: string, wanted: string, endsAt: number): readonly JsonObject[] {
  if (!json.includes(wanted)) return [];
  try {
    return [{ fields: fieldsOf(JSON.parse(json)), endsAt }];
  } catch {
    return [];
  }
}
