// Finds the error lines in a program's output. Used when no parser recognises the output.
import { plain } from "./plain-text.ts";
import { isWrapperNotice } from "./wrapper-notices.ts";

const ERRORS: readonly RegExp[] = [
  // `ValueError: bad`, but not a line of source that throws one: there a bracket follows the word.
  /(?:errors?|exception)\b(?!\()/i,
  /\b(?:fatal|panic(?:ked)?|fail(?:ed|ures?|ing)?|aborted|cannot|can't|could not|unable to|not found|no such)\b/i,
  /\b(?:missing|undefined|unexpected|mismatch|denied|refused|timed out|differs?|wrong|invalid|segmentation fault)\b/i,
  /\b(?:expected|want(?:ed)?)\b.{0,120}\b(?:got|but|actual|received|found|was)\b/i,
  /^\s*(?:not ok\b|✖|✗|✘|×|❌)|: \*{3} /,
];
/** "0 errors", "failures: 0" */
const NO_ERRORS =
  /\b(?:0|no|without) (?:errors?|failed|failing|failures?)\b|\b(?:errors?|failed|failures?)[:=]? ?0\b/i;
/** Lines that are no errors, whatever words they contain: passed checks, echoed commands, warnings. */
const HARMLESS: readonly RegExp[] = [
  /^\s*(?:✓|✔|√|ok\b|PASS(?:ED)?\b|[>$+] )/i,
  /^(?:\S+:\d+(?::\d+)?:? )?\s*(?:warn(?:ing)?\b|\[warn(?:ing)?\])|Warning: /i,
];
/** Stack frames of JavaScript, Java and Ruby, and coverage rows: their names may contain any word. */
const FRAME = /^\s+at \S|^\s+from \S|^\S+:\d+:in [`'][^`']*'$|^[^|]{1,200}\|\s*[\d.]+\s*\|/;
const MAX_LINE_CHARS = 2_000;

/** Whether the line reports an error. */
export function isErrorLine(line: string): boolean {
  const text = line.slice(0, MAX_LINE_CHARS);
  const matches = (pattern: RegExp) => pattern.test(text);
  return ERRORS.some(matches) && ![NO_ERRORS, FRAME, ...HARMLESS].some(matches) && !isWrapperNotice(text);
}

/** The lines of an output without the notices of task runners. */
export function linesWithoutNotices(output: string): readonly string[] {
  return plain(output)
    .split("\n")
    .filter((line) => !isWrapperNotice(line.slice(0, MAX_LINE_CHARS)));
}

/** The most informative line: the first error, otherwise the last line. */
export function mostTellingLine(output: string): string {
  const lines = linesWithoutNotices(output).filter((line) => line.trim() !== "");
  return (
    lines.find(isErrorLine) ??
    lines.findLast((line) => !FRAME.test(line)) ??
    lines.at(-1) ??
    ""
  ).trim();
}
