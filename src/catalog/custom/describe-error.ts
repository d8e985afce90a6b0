// Formats values and errors of user code with a length limit; they may be huge, circular or hostile. Runs in both threads.
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, types } from "node:util";

const LONGEST = 200;

const EXPECTED =
  "expected { continue: boolean, reason?: string, confidence?: 0..1, feedback?: string, metadata?: object } or a boolean";

/** Formats a value on one line without running its code: no getters, no custom inspection. */
export function preview(value: unknown): string {
  const options = {
    depth: 1,
    customInspect: false,
    breakLength: Number.POSITIVE_INFINITY,
    maxStringLength: LONGEST,
    maxArrayLength: 10,
  };
  try {
    return shorten(inspect(value, options).replace(/\s+/g, " "));
  } catch {
    return `a ${typeof value} that cannot be shown`;
  }
}

/** Error message for an answer that is not a decision. */
export function describeInvalidAnswer(value: unknown, detail?: string): string {
  return `${EXPECTED}, got ${preview(value)}${detail ? `: ${detail}` : ""}`;
}

/** Formats an error on one line, with the user's file and line that threw it, relative to the module. */
export function describeError(error: unknown, module: string): string {
  // An uncaught error of a worker thread arrives as an Error that is not a native one.
  if (!types.isNativeError(error) && !(error instanceof Error)) return preview(error);
  const place = placeOf(error, dirname(module));
  try {
    return `${shorten(`${error.name}: ${error.message}`, 4 * LONGEST)}${place ? ` (${place})` : ""}`;
  } catch {
    return "an error that cannot be shown";
  }
}

/** Reads `file:line` from the header that Node puts before a syntax error's stack, else from the first stack frame in a file. */
export function placeOf(error: Error, dir: string): string | undefined {
  const stack = typeof error.stack === "string" ? error.stack : "";
  const match =
    /^(file:\/\/\S+|\/.*?):(\d+)$/m.exec(stack.split("\n", 1)[0] ?? "") ??
    /^ +at (?:.*\()?(?:async )?(file:\/\/[^\s)]+?|\/[^)]+?):(\d+):\d+\)?$/m.exec(stack);
  if (!match?.[1]) return undefined;
  const file = match[1].startsWith("file:") ? fileURLToPath(match[1]) : match[1];
  return dirname(file) === import.meta.dirname ? undefined : `${relative(dir, file)}:${match[2]}`;
}

function shorten(text: string, longest = LONGEST): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
