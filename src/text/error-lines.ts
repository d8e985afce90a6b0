// Finds the lines of a program's output that tell what went wrong. Used where no parser recognises the output.
import { plain } from "./plain-text.ts";
import { isWrapperNotice } from "./wrapper-notices.ts";

const ERRORS: readonly RegExp[] = [
  // `ValueError: bad`; a line of source that throws one is none: a bracket follows the word.
  /(?:errors?|exception)\b(?!\()/i,
  /\b(?:fatal|panic(?:ked)?|fail(?:ed|ures?|ing)?|aborted|cannot|can't|could not|unable to|not found|no such)\b/i,
  /\b(?:missing|undefined|unexpected|mismatch|denied|refused|timed out|differs?|wrong|invalid|segmentation fault)\b/i,
  /\b(?:expected|want(?:ed)?)\b.{0,120}\b(?:got|but|actual|received|found|was)\b/i,
  /^\s*(?:not ok\b|✖|✗|✘|×|❌)|: \*{3} /,
];
/** "0 errors", "failures: 0" */
const NO_ERRORS =
  /\b(?:0|no|without) (?:errors?|failed|failing|failures?)\b|\b(?:errors?|failed|failures?)[:=]? ?0\b/i;
/** A check that passed, a command that a runner repeats, a warning: whatever words they hold. */
const HARMLESS: readonly RegExp[] = [
  /^\s*(?:✓|✔|√|ok\b|PASS(?:ED)?\b|[>$+] )/i,
  /^(?:\S+:\d+(?::\d+)?:? )?\s*(?:warn(?:ing)?\b|\[warn(?:ing)?\])|Warning: /i,
];
/** Frames of JavaScript, Java and Ruby, and rows of a coverage table: names in them may hold any word. */
const FRAME = /^\s+at \S|^\s+from \S|^\S+:\d+:in [`'][^`']*'$|^[^|]{1,200}\|\s*[\d.]+\s*\|/;
const LONGEST = 2_000;

/** Whether the line says that something is wrong. */
export function isErrorLine(line: string): boolean {
  const text = line.slice(0, LONGEST);
  const matches = (pattern: RegExp) => pattern.test(text);
  return ERRORS.some(matches) && ![NO_ERRORS, FRAME, ...HARMLESS].some(matches) && !isWrapperNotice(text);
}

/** The lines of an output, without what task runners print around it. */
export function linesWithoutNotices(output: string): readonly string[] {
  return plain(output)
    .split("\n")
    .filter((line) => !isWrapperNotice(line.slice(0, LONGEST)));
}

/** The one line that tells most: the first error, else the last line. */
export function mostTellingLine(output: string): string {
  const lines = linesWithoutNotices(output).filter((line) => line.trim() !== "");
  return (
    lines.find(isErrorLine) ??
    lines.findLast((line) => !FRAME.test(line)) ??
    lines.at(-1) ??
    ""
  ).trim();
}
