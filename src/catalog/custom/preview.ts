// Bounded words for values and errors of user code, which may be huge, circular or hostile. Runs in both threads.
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, types } from "node:util";

const LONGEST = 200;

const EXPECTED =
  "expected { continue: boolean, reason?: string, confidence?: 0..1, feedback?: string, metadata?: object } or a boolean";

/** The value on one line. Never runs its code: no getters, no custom inspection. */
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

/** What to say of something that is no decision. */
export function misfit(value: unknown, detail?: string): string {
  return `${EXPECTED}, got ${preview(value)}${detail ? `: ${detail}` : ""}`;
}

/** The error on one line, with the place in the user's files where it was thrown, relative to the module. */
export function describeError(error: unknown, module: string): string {
  // An uncaught error that comes out of a thread is an Error, but no longer a native one.
  if (!types.isNativeError(error) && !(error instanceof Error)) return preview(error);
  const place = placeOf(error, dirname(module));
  try {
    return `${shorten(`${error.name}: ${error.message}`, 4 * LONGEST)}${place ? ` (${place})` : ""}`;
  } catch {
    return "an error that cannot be shown";
  }
}

/** `file:line` from the head that Node puts before a syntax error's stack, else from the first frame in a file. */
export function placeOf(error: Error, dir: string): string | undefined {
  const stack = typeof error.stack === "string" ? error.stack : "";
  const found =
    /^(file:\/\/\S+|\/.*?):(\d+)$/m.exec(stack.split("\n", 1)[0] ?? "") ??
    /^ +at (?:.*\()?(?:async )?(file:\/\/[^\s)]+?|\/[^)]+?):(\d+):\d+\)?$/m.exec(stack);
  if (!found?.[1]) return undefined;
  const file = found[1].startsWith("file:") ? fileURLToPath(found[1]) : found[1];
  return dirname(file) === import.meta.dirname ? undefined : `${relative(dir, file)}:${found[2]}`;
}

function shorten(text: string, longest = LONGEST): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
