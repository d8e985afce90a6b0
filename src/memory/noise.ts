// Removes irrelevant output lines: notices of task runners, stack frames, coverage tables.
import { linesWithoutNotices } from "#text/error-lines";

const NOISE: readonly RegExp[] = [
  /^\s+at .{1,500}(?::\d+|<anonymous>|\(native\))\)?$/,
  /^\s*-{3,}\|[-|]+\s*$/,
  /^[^|]{1,200}\|(?:\s*(?:[\d.]+|% ?\w+)\s*\|){2,}/,
];

export const isNoise = (line: string): boolean => NOISE.some((pattern) => pattern.test(line));

export function withoutNoise(output: string): string {
  return linesWithoutNotices(output)
    .filter((line) => !isNoise(line))
    .join("\n");
}
