// Extracts expected and actual values as runners print them: two labelled lines, a sentence, or a diff.

interface Difference {
  readonly expected?: string;
  readonly actual?: string;
}

/** jest, then xUnit (minitest alike), NUnit, and RSpec. */
const LABELS = [
  ["Expected:", "Received:"],
  ["Expected:", "Actual:"],
  ["Expected:", "But was:"],
  ["expected:", "got:"],
] as const;

/** MSTest, JUnit and PHPUnit. */
const MSTEST = /Expected:<(.*?)>\. Actual:<(.*?)>\./;
const JUNIT = /expected: ?<(.*?)> but was: ?<(.*?)>/;
const PHPUNIT = /^Failed asserting that (.+) (?:is identical to|matches expected) (.+)\.$/;

export function difference(lines: readonly string[]): Difference {
  return sentence(lines) ?? twoLines(lines) ?? diff(lines) ?? {};
}

function sentence(lines: readonly string[]): Difference | undefined {
  for (const line of lines.slice(0, 5)) {
    const [, expected, actual] = MSTEST.exec(line) ?? JUNIT.exec(line) ?? [];
    if (expected !== undefined && actual !== undefined) return { expected, actual };
    const [, phpActual, phpExpected] = PHPUNIT.exec(line) ?? [];
    if (phpActual !== undefined && phpExpected !== undefined)
      return { expected: phpExpected, actual: phpActual };
  }
  return undefined;
}

function twoLines(lines: readonly string[]): Difference | undefined {
  for (const [one, other] of LABELS) {
    const expected = valueAfter(lines, one);
    const actual = valueAfter(lines, other);
    if (expected !== undefined && actual !== undefined) return { expected, actual };
  }
  return undefined;
}

function valueAfter(lines: readonly string[], label: string): string | undefined {
  return lines
    .find((line) => line.trimStart().startsWith(label))
    ?.trimStart()
    .slice(label.length)
    .trim();
}

function diff(lines: readonly string[]): Difference | undefined {
  const start = lines.findIndex((line) => /^\s*-(?:--)? Expected\b/.test(line));
  if (start < 0) return undefined;
  const body = lines.slice(start + 2);
  const [heading = ""] = lines.slice(start + 1);
  if (/^\s*\+ Received\b/.test(heading))
    return { expected: linesWithMark(body, "-"), actual: linesWithMark(body, "+") };
  if (heading === "+++ Actual")
    return { expected: linesWithSign(body, "-"), actual: linesWithSign(body, "+") };
  return undefined;
}

/** The lines of a diff that start with `sign`, which includes its indentation; removes the sign. */
export function linesWithSign(lines: readonly string[], sign: string): string {
  return lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(sign.length).trim())
    .join("\n");
}

function linesWithMark(lines: readonly string[], sign: string): string {
  return lines
    .filter((line) => line.trimStart().startsWith(`${sign} `))
    .map((line) => line.trimStart().slice(2).trim())
    .join("\n");
}
