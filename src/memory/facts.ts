// The facts that every memory tells: the last iterations, what the agent may hear of their verdicts, and what changed.
import { describeRed, falseClaim } from "#rules/claim";
import { compareFailing, failingNames, judgedBefore } from "#rules/failing-tests";
import { verdictOf } from "#rules/success";
import type { Iteration, Judged, Run } from "#spec/run";
import type { GateSpec } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { oneLine } from "#text/plain-text";

const FACT_CHARS = 200;

/** On one line and bounded: a file's name or a summary must not pose as an entry of its own. */
export function fact(text: string): string {
  return oneLine(text, FACT_CHARS);
}

/** The last iterations that an agent has worked in, oldest first. */
export function lastIterations(run: Run, entries: number): readonly Iteration[] {
  return run.iterations.filter((iteration) => iteration.agent).slice(-entries);
}

const isHidden = (gate: GateSpec): boolean => gate.policy.onFailure.feedback === "none";

/** What the task keeps from the agent, it does not hear from the memory either. */
export function judgedFor(run: Run, iteration: Iteration): readonly Judged[] {
  const hidden = run.task.gates.filter(isHidden).map(({ name }) => name);
  return iteration.verdicts.filter(
    ({ gate, verdict }) => verdict.status !== "skipped" && !hidden.includes(gate),
  );
}

/** Protected paths that the agent changed and that were put back. */
export function undoneIn({ tampering }: Iteration): readonly string[] {
  if (tampering?.action !== "restore") return [];
  return tampering.changes.map(({ path, kind }) => `${path} (${kind})`);
}

export interface Claim {
  readonly said: string;
  /** The red gates that the agent may hear of, "tests (failed)"; empty when all are hidden. */
  readonly red: string;
}

/** What the agent claimed against red gates. */
export function claimIn(run: Run, iteration: Iteration): Claim | undefined {
  const said = falseClaim(run, iteration);
  return said === undefined
    ? undefined
    : { said, red: describeRed(run, iteration, (gate) => !isHidden(gate)) };
}

export interface ChangedTests {
  readonly fixed: readonly string[];
  readonly newlyFailing: readonly string[];
}

/** Undefined when the verdict does not name everything that fails. */
function namedFailures(verdict: Verdict): ReadonlyMap<string, string> | undefined {
  if (verdict.status === "passed") return new Map();
  const names = failingNames(verdict);
  return names.size > 0 && names.size >= (verdict.tests?.failed ?? 0) ? names : undefined;
}

/** Tests that fail no longer, or did not fail before. Of lists that are not whole nothing can be said. */
export function changedTests(run: Run, { number }: Iteration, { gate, verdict }: Judged): ChangedTests {
  const earlier = judgedBefore(run, number);
  const before = earlier && verdictOf(earlier, gate);
  const was = before && compareFailing(before, verdict) && namedFailures(before);
  const is = namedFailures(verdict);
  if (!was || !is) return { fixed: [], newlyFailing: [] };
  const missing = (from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>) =>
    [...from].filter(([key]) => !to.has(key)).map(([, id]) => id);
  return { fixed: missing(was, is), newlyFailing: missing(is, was) };
}

/** The first names, and how many there are besides. */
export function filesChanged(
  { snapshot }: Iteration,
  most: number,
  chars = FACT_CHARS,
): { readonly names: readonly string[]; readonly more: number } {
  const { changes = [], changeCount = 0 } = snapshot ?? {};
  const names = changes.slice(0, most).map((change) => oneLine(change.path, chars));
  return { names, more: changeCount - names.length };
}
