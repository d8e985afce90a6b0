// Expected and actual values as vitest and jest print them: two lines, or a diff.

interface Difference {
  readonly expected?: string;
  readonly actual?: string;
}

export function difference(lines: readonly string[]): Difference {
  return twoLines(lines) ?? diff(lines) ?? {};
}

function twoLines(lines: readonly string[]): Difference | undefined {
  const expected = valueAfter(lines, "Expected:");
  const actual = valueAfter(lines, "Received:");
  return expected === undefined || actual === undefined ? undefined : { expected, actual };
}

function valueAfter(lines: readonly string[], label: string): string | undefined {
  return lines
    .find((line) => line.trimStart().startsWith(label))
    ?.trimStart()
    .slice(label.length)
    .trim();
}

function diff(lines: readonly string[]): Difference | undefined {
  const start = lines.findIndex((line) => /^\s*- Expected\b/.test(line));
  if (start < 0 || !/^\s*\+ Received\b/.test(lines[start + 1] ?? "")) return undefined;
  const body = lines.slice(start + 2);
  return { expected: marked(body, "-"), actual: marked(body, "+") };
}

function marked(lines: readonly string[], sign: string): string {
  return lines
    .filter((line) => line.trimStart().startsWith(`${sign} `))
    .map((line) => line.trimStart().slice(2).trim())
    .join("\n");
}
