// Shortens unrecognised output to its errors: from the first error on, plus the end.
import { isErrorLine, linesWithoutNotices } from "#text/error-lines";
import { head, tail } from "#text/plain-text";

const LINES_BEFORE = 2;
const LINES_AFTER = 6;
/** The end is always shown, because many programs print their summary there. */
const END_CHARS = 600;
const GAP = "[…]";
/** Python prints the error below its stack. */
const STACK = /^Traceback \(most recent call last\):/;

interface Stream {
  readonly hasErrors: boolean;
  /** Starts at the first error, if there is one. */
  readonly lines: readonly string[];
  readonly length: number;
}

/** Fits both streams into `limit` characters. The stream with errors comes first, stderr before stdout. */
export function excerptOf(stdout: string, stderr: string, limit: number): string {
  const [out, err] = [readStream(stdout), readStream(stderr)];
  const [first, second] = err.hasErrors ? [err, out] : [out, err];
  const least = first.hasErrors && !second.hasErrors ? END_CHARS : Math.floor(limit / 2);
  const share = Math.min(second.length, Math.max(least, limit - first.length));
  return [shorten(first, limit - share), shorten(second, share)].filter(Boolean).join("\n");
}

function readStream(output: string): Stream {
  const lines = linesWithoutNotices(output.trim());
  const first = lines.findIndex(opensError);
  const shown = lines.slice(Math.max(0, first - LINES_BEFORE));
  return { hasErrors: first >= 0, lines: shown, length: shown.join("\n").trim().length };
}

function opensError(line: string): boolean {
  return STACK.test(line) || isErrorLine(line);
}

function shorten({ hasErrors, lines, length }: Stream, limit: number): string {
  const text = lines.join("\n").trim();
  if (length <= limit) return text;
  if (!hasErrors) return tail(text, limit);
  const end = Math.min(END_CHARS, Math.floor(limit / 4));
  return `${head(errorsWithContext(lines), limit - end)}\n${tail(text, end)}`;
}

function errorsWithContext(lines: readonly string[]): string {
  const shown: string[] = [];
  let next = 0;
  for (const [at, line] of lines.entries()) {
    if (!opensError(line)) continue;
    const from = Math.max(next, at - LINES_BEFORE);
    if (from > next) shown.push(GAP);
    shown.push(...lines.slice(from, at + 1 + LINES_AFTER));
    next = Math.max(next, at + 1 + LINES_AFTER);
  }
  return shown.join("\n").trim();
}
