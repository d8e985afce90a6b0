// Parses the details below a TAP test point: a subset of YAML, read tolerantly because few producers write it right.

export type TapFields = ReadonlyMap<string, string>;

const KNOWN_KEYS = new Set([
  ...["message", "error", "location", "at", "stack", "expected", "actual"],
  ...["diff", "exitCode"],
]);
const KEY = /^( *)([A-Za-z_]\w*):(?: (.*))?$/;

export function tapFields(lines: readonly string[]): TapFields {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < lines.length) {
    const [, indent = "", key = "", value = ""] = KEY.exec(lines[at] ?? "") ?? [];
    const next = KNOWN_KEYS.has(key) ? valueEnd(lines, at, { indent: indent.length, value }) : at + 1;
    // An "error:" without a value has nested keys (vitest), which are parsed next.
    if (key === "error" && value === "") at++;
    else {
      if (KNOWN_KEYS.has(key) && !fields.has(key)) fields.set(key, textOf(value, lines.slice(at + 1, next)));
      at = next;
    }
  }
  return fields;
}

interface FieldStart {
  readonly indent: number;
  readonly value: string;
}

function valueEnd(lines: readonly string[], start: number, { indent, value }: FieldStart): number {
  const isQuoted = /^["']/.test(value);
  if (isQuoted) return closesQuote(value) ? start + 1 : quoteEnd(lines, start + 1);
  let end = start + 1;
  while (end < lines.length && (lines[end]?.trim() === "" || indentOf(lines[end]) > indent)) end++;
  return end;
}

function quoteEnd(lines: readonly string[], start: number): number {
  const end = lines.findIndex((line, at) => at >= start && /["']$/.test(line));
  return end < 0 ? lines.length : end + 1;
}

function closesQuote(value: string): boolean {
  return value.length > 1 && value.endsWith(value.charAt(0));
}

function indentOf(line = ""): number {
  return line.length - line.trimStart().length;
}

function textOf(value: string, more: readonly string[]): string {
  const first = /^[|>][-+]?$/.test(value) ? [] : [value];
  const text = [...first, ...more.map((line) => line.trim())].join("\n").trim();
  const [, quote, inner] = /^(["'])([\s\S]*)\1$/.exec(text) ?? [];
  if (inner === undefined) return text;
  return quote === '"' ? inner.replace(/\\(["\\])/g, "$1") : inner.replaceAll("''", "'");
}
