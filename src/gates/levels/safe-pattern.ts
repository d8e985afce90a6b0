// Validates regular expressions of a task against catastrophic backtracking, which would hang a run.
import { createRequire } from "node:module";
import type { Diagnostics } from "recheck";
import { text } from "#options/values";
import { head, plain } from "#text/plain-text";

/** Timeout of the check, long enough to find exponential patterns. A timeout accepts the pattern, because matching has its own timeout. */
const CHECK_TIMEOUT_MS = 2_000;

const BACKEND = "RECHECK_BACKEND";

/** The source of a regular expression, used with the flag `u`. */
export const pattern = text.superRefine((source, context) => {
  const message = patternProblem(source);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

// Cache: a task is parsed when it is validated and again when its parts are created.
const cache = new Map<string, string | undefined>();

/** Describes what is wrong with the pattern and what to do; undefined for a safe pattern. */
export function patternProblem(source: string): string | undefined {
  if (!cache.has(source)) cache.set(source, syntaxProblem(source) ?? backtrackingProblem(source));
  return cache.get(source);
}

function syntaxProblem(source: string): string | undefined {
  try {
    new RegExp(source, "u");
    return undefined;
  } catch (error) {
    const why = (error as Error).message.replace(/^.*\/u: /s, "");
    return `expected a regular expression (with the flag u): ${head(plain(why), 100)}`;
  }
}

function backtrackingProblem(source: string): string | undefined {
  const diagnostics = diagnose(source);
  if (diagnostics.status !== "vulnerable" || diagnostics.complexity.type !== "exponential") return undefined;
  const attack = head(plain(diagnostics.attack.pattern), 80);
  return `expected a regular expression without catastrophic backtracking: this one takes exponential time on ${attack}; do not nest repetitions that match the same text, e.g. write a+ for (a+)+`;
}

/** Loads recheck lazily, because it is large. Uses its pure backend, because the native ones start processes. */
function diagnose(source: string): Diagnostics {
  const previous = process.env[BACKEND];
  process.env[BACKEND] = "pure";
  try {
    const { checkSync } = createRequire(import.meta.url)("recheck") as typeof import("recheck");
    return checkSync(source, "u", { timeout: CHECK_TIMEOUT_MS });
  } finally {
    if (previous === undefined) delete process.env[BACKEND];
    else process.env[BACKEND] = previous;
  }
}
