// Regular expressions that people write, checked when they are read: a slip in one can stall a run for ever.
import { createRequire } from "node:module";
import type { Diagnostics } from "recheck";
import { head, plain } from "#text/plain-text";
import { text } from "./values.ts";

/** Long enough to find what is exponential; what takes longer is let through, as matching is bounded in time. */
const CHECK_MS = 2_000;

const BACKEND = "RECHECK_BACKEND";

/** A regular expression, as it stands between slashes; used with the flag `u`. */
export const pattern = text.superRefine((source, context) => {
  const message = patternProblem(source);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

// A task is read when it is checked and again when its parts are made; the answer stays the same.
const known = new Map<string, string | undefined>();

/** What is wrong with the pattern, and what to do; undefined when it may be used. */
export function patternProblem(source: string): string | undefined {
  if (!known.has(source)) known.set(source, syntaxProblem(source) ?? backtracking(source));
  return known.get(source);
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

function backtracking(source: string): string | undefined {
  const found = diagnose(source);
  if (found.status !== "vulnerable" || found.complexity.type !== "exponential") return undefined;
  const attack = head(plain(found.attack.pattern), 80);
  return `expected a regular expression that cannot take for ever: on ${attack} this one tries exponentially many ways (catastrophic backtracking); let no repetition stand in another that can match the same text, e.g. write a+ for (a+)+`;
}

/** Loaded only when there is a pattern: it is large. Its native backends would start processes of their own. */
function diagnose(source: string): Diagnostics {
  const before = process.env[BACKEND];
  process.env[BACKEND] = "pure";
  try {
    const { checkSync } = createRequire(import.meta.url)("recheck") as typeof import("recheck");
    return checkSync(source, "u", { timeout: CHECK_MS });
  } finally {
    if (before === undefined) delete process.env[BACKEND];
    else process.env[BACKEND] = before;
  }
}
