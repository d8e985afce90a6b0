// The one success rule, shared by the loop and every strategy: the wanted gates pass, plus required changes and promise.

import type { Iteration, Run } from "#spec/run";
import type { Failure, Verdict } from "#spec/verdict";
import { normalise } from "#text/normalise";
import { findSignal, withPromise } from "./signals.ts";

/** Whether the run has succeeded: the gates pass, on changed files and with the promise where required. */
export function succeeded(run: Run, iteration: Iteration): boolean {
  const { baseline, requireChange, requirePromise, gates } = run.task;
  if (iteration.number === 0 && !baseline) return false;
  if (requireChange && iteration.snapshot?.tree === run.baseline.snapshot?.tree) return false;
  if (!requirePromise) return isSuccess(run, iteration);
  // Without gates, the promise is the only criterion.
  return hasPromise(run, iteration) && (gates.length === 0 || isSuccess(run, iteration));
}

/** Whether the agent gave the task's promise in its own words. A failed agent has not, whatever it printed. */
export function hasPromise({ task: { promise } }: Run, { agent, prompt }: Iteration): boolean {
  if (!agent?.ok || promise === undefined) return false;
  return findSignal(agent.message, prompt, withPromise([], promise)) !== undefined;
}

/** Whether at least one wanted gate passed and none is red. Skipped is neither: if all are skipped, none has passed. */
export function isSuccess(run: Run, iteration: Iteration): boolean {
  const standings = wantedGates(run).map((gate) => standing(run, iteration, gate));
  return standings.includes("passed") && !standings.includes("red");
}

/** The wanted gates that prevent success: failed, errored, waiting, or not judged. */
export function redGates(run: Run, iteration: Iteration): readonly string[] {
  return wantedGates(run).filter((gate) => standing(run, iteration, gate) === "red");
}

/** The gates that must pass, by name. */
export function wantedGates(run: Run): readonly string[] {
  return run.task.until.length > 0 ? run.task.until : run.task.gates.map((gate) => gate.name);
}

/** Whether the gate failed or errored, beyond the failures that the task ignores. */
export function isRed(run: Run, iteration: Iteration, gate: string): boolean {
  const verdict = verdictOf(iteration, gate);
  if (verdict?.status === "failed") return !isExcused(run, iteration, gate);
  return verdict?.status === "errored";
}

/** The newest verdict of the gate in this iteration. */
export function verdictOf(iteration: Iteration, gate: string): Verdict | undefined {
  return iteration.verdicts.findLast((judged) => judged.gate === gate)?.verdict;
}

/** When the gate first asked a person in this iteration. */
export function askedAt({ asked }: Iteration, gate: string): string | undefined {
  return Object.hasOwn(asked, gate) ? asked[gate] : undefined;
}

function standing(run: Run, iteration: Iteration, gate: string): "passed" | "skipped" | "red" {
  const verdict = verdictOf(iteration, gate);
  switch (verdict?.status) {
    case "passed":
      return "passed";
    case "skipped":
      return isHeldBack(run, iteration, gate) ? "red" : "skipped";
    case "failed":
      return isExcused(run, iteration, gate) ? "passed" : "red";
    case "errored":
    case "waiting":
    case undefined:
      return "red";
  }
}

// A wanted gate that was skipped because another one failed has not passed, even if that other one is not wanted.
function isHeldBack(run: Run, iteration: Iteration, gate: string): boolean {
  const spec = run.task.gates.find(({ name }) => name === gate);
  return spec?.policy.skipIf?.failed.some((other) => isRed(run, iteration, other)) ?? false;
}

// The baseline cannot excuse itself, otherwise a run would end before any agent has worked.
function isExcused(run: Run, iteration: Iteration, gate: string): boolean {
  const verdict = verdictOf(iteration, gate);
  if (!verdict || !run.task.ignorePreexisting || iteration.number === 0) return false;
  return isPreexisting(verdict, verdictOf(run.baseline, gate));
}

// A failure without an id, or more failing tests than ids, may hide a new failure: then nothing is excused.
function isPreexisting(verdict: Verdict, before: Verdict | undefined): boolean {
  const known = idsOf(before?.failures ?? []);
  const ids = idsOf(verdict.failures);
  const isCounted = verdict.tests !== undefined || verdict.packages !== undefined;
  const isComplete = isCounted && ids.size > 0 && (verdict.tests?.failed ?? 0) <= ids.size;
  return isComplete && [...ids].every((id) => id !== undefined && id !== "" && known.has(id));
}

function idsOf(failures: readonly Failure[]): ReadonlySet<string | undefined> {
  return new Set(failures.map(({ id }) => id && normalise(id)));
}
