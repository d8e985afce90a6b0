// Facts that all memories share: the last iterations, the verdicts the agent may see, and what changed.
import { describeRed, falseClaim } from "#rules/claim";
import { compareFailing, failingNames, judgedBefore } from "#rules/failing-tests";
import { verdictOf } from "#rules/success";
import type { Iteration, Judged, Run } from "#spec/run";
import type { GateSpec } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { oneLine } from "#text/plain-text";

/** Largest values of the options `entries` and `chars`. */
export const MAX_ENTRIES = 1_000;
export const MAX_ENTRY_CHARS = 4_000;

const FACT_CHARS = 200;

/** Cuts text to one bounded line, so that a file name or summary cannot pose as an entry. */
export function fact(text: string): string {
  return oneLine(text, FACT_CHARS);
}

/** The last iterations with an agent result, oldest first. */
export function lastIterations(run: Run, entries: number): readonly Iteration[] {
  return run.iterations.filter((iteration) => iteration.agent).slice(-entries);
}

const isHidden = (gate: GateSpec): boolean => gate.policy.onFailure.feedback === "none";

/** Leaves out verdicts that the task hides from the agent. */
export function judgedFor(run: Run, iteration: Iteration): readonly Judged[] {
  const hidden = run.task.gates.filter(isHidden).map(({ name }) => name);
  return iteration.verdicts.filter(
    ({ gate, verdict }) => verdict.status !== "skipped" && !hidden.includes(gate),
  );
}

/** Protected paths that the agent changed and that were restored. */
export function undoneIn({ tampering }: Iteration): readonly string[] {
  if (tampering?.action !== "restore") return [];
  return tampering.changes.map(({ path, kind }) => `${path} (${kind})`);
}

export interface Claim {
  /** What the agent claimed. */
  readonly text: string;
  /** Failed gates that the agent may see, "tests (failed)"; empty when all are hidden. */
  readonly red: string;
}

/** The agent's false claim, if any. */
export function claimIn(run: Run, iteration: Iteration): Claim | undefined {
  const text = falseClaim(run, iteration);
  return text === undefined
    ? undefined
    : { text, red: describeRed(run, iteration, (gate) => !isHidden(gate)) };
}

export interface ChangedTests {
  readonly fixed: readonly string[];
  readonly newlyFailing: readonly string[];
}

/** Undefined when the verdict does not name all failures. */
function namedFailures(verdict: Verdict): ReadonlyMap<string, string> | undefined {
  if (verdict.status === "passed") return new Map();
  const names = failingNames(verdict);
  return names.size > 0 && names.size >= (verdict.tests?.failed ?? 0) ? names : undefined;
}

/** Tests that were fixed or newly fail. Empty when a list is incomplete. */
export function changedTests(run: Run, { number }: Iteration, { gate, verdict }: Judged): ChangedTests {
  const earlier = judgedBefore(run, number);
  const before = earlier && verdictOf(earlier, gate);
  const failingBefore = before && compareFailing(before, verdict) && namedFailures(before);
  const failingNow = namedFailures(verdict);
  if (!failingBefore || !failingNow) return { fixed: [], newlyFailing: [] };
  const missing = (from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>) =>
    [...from].filter(([key]) => !to.has(key)).map(([, id]) => id);
  return { fixed: missing(failingBefore, failingNow), newlyFailing: missing(failingNow, failingBefore) };
}

/** The first names, and the number of the others. */
export function filesChanged(
  { snapshot }: Iteration,
  limit: number,
  chars = FACT_CHARS,
): { readonly names: readonly string[]; readonly more: number } {
  const { changes = [], changeCount = 0 } = snapshot ?? {};
  const names = changes.slice(0, limit).map((change) => oneLine(change.path, chars));
  return { names, more: changeCount - names.length };
}
