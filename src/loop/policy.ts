// Gate policies: what a verdict means for the run (skip, carry over, backoff, stop, escalate, wait).

import { backoffMs } from "#rules/backoff";
import { isRed, verdictOf, wantedGates } from "#rules/success";
import type { Iteration, Run } from "#spec/run";
import type { GateSpec } from "#spec/task";
import { failedVerdict, makeVerdict, type Verdict } from "#spec/verdict";

/** Consecutive failing verdicts of the gate; the baseline does not count as an attempt. */
function attempts(run: Run, gate: string): number {
  const judged = run.iterations.filter((iteration) => verdictOf(iteration, gate));
  return judged.length - 1 - judged.findLastIndex((iteration) => !isRed(run, iteration, gate));
}

/** The first gate that has not judged this iteration yet, or whose waiting deadline has passed. */
export function gateToJudge(run: Run, iteration: Iteration, now: string): GateSpec | undefined {
  return run.task.gates.find(({ name }) => {
    const verdict = verdictOf(iteration, name);
    return !verdict || (verdict.status === "waiting" && isOver(verdict.until, now));
  });
}

/** Whether every other gate has judged the iteration. */
export function isLastGate(run: Run, iteration: Iteration, gate: string): boolean {
  return run.task.gates.every(({ name }) => name === gate || verdictOf(iteration, name));
}

/** Whether a deadline has passed; both are ISO timestamps. */
export function isOver(until: string | undefined, now: string): boolean {
  return until !== undefined && until <= now;
}

/** The verdict when the gate does not have to run: skipped, waiting for a person, or carried over. */
export function verdictWithoutJudging(run: Run, iteration: Iteration, gate: GateSpec): Verdict | undefined {
  const { policy, name } = gate;
  const earlier = iteration.verdicts.map((one) => one.gate);
  const ender = run.task.gates.find(
    (other) =>
      other.policy.onSuccess === "skip-remaining" &&
      earlier.includes(other.name) &&
      verdictOf(iteration, other.name)?.status === "passed",
  );
  if (ender) return makeVerdict("skipped", `skipped: ${ender.name} passed, and that is enough`);
  const failed = policy.skipIf?.failed.find((other) => isRed(run, iteration, other));
  if (failed) return makeVerdict("skipped", `skipped: ${failed} failed`);
  if (policy.condition === "manual") return manualVerdict(iteration, name);
  if (policy.condition === "on-change") return carriedVerdict(run, iteration, name);
  return undefined;
}

function manualVerdict(iteration: Iteration, gate: string): Verdict | undefined {
  const answer = iteration.approvals.findLast((approval) => approval.gate === gate);
  if (answer?.type === "approve") return undefined;
  if (!answer) return makeVerdict("waiting", "waiting for a person to start it");
  const summary = `rejected by ${answer.by}`;
  const message = answer.message ? `${summary}: ${answer.message}` : summary;
  return failedVerdict(summary, message);
}

/** Whether the gate has not judged yet. */
const isOpen = ({ status }: Verdict) => status === "skipped" || status === "waiting";

/** The gate's last verdict, if the tree has not changed since. */
function carriedVerdict(run: Run, iteration: Iteration, gate: string): Verdict | undefined {
  const tree = iteration.snapshot?.tree;
  for (const before of [run.baseline, ...run.iterations].toReversed()) {
    const verdict = verdictOf(before, gate);
    if (before.number >= iteration.number || !verdict || isOpen(verdict)) continue;
    if (before.snapshot?.tree !== tree || verdict.status === "errored") return undefined;
    return { ...verdict, carriedFrom: verdict.carriedFrom ?? before.number, durationMs: 0 };
  }
  return undefined;
}

/** Backoff before the gate judges again after failures. */
export function gateBackoffMs(run: Run, gate: GateSpec): number {
  const { backoff } = gate.policy.onFailure;
  const failed = attempts({ ...run, iterations: run.iterations.slice(0, -1) }, gate.name);
  if (!backoff || failed === 0) return 0;
  return backoffMs(failed - 1, { ...backoff, firstMs: backoff.delayMs });
}

/** The reason to end the run at once: a red gate with the policy `stop`. */
export function stopReason(run: Run, iteration: Iteration): string | undefined {
  const gate = run.task.gates.find(
    ({ name, policy }) => policy.onFailure.action === "stop" && isRed(run, iteration, name),
  );
  return gate && `gate ${gate.name} ${verdictOf(iteration, gate.name)?.status}, and its policy is to stop`;
}

/** The reason to end the run when a gate has reached its maximum number of attempts. */
export function exhaustedReason(run: Run): string | undefined {
  const gate = run.task.gates.find(
    ({ name, policy }) =>
      policy.onFailure.maxAttempts !== undefined && attempts(run, name) >= policy.onFailure.maxAttempts,
  );
  return (
    gate &&
    `gate ${gate.name} failed ${gate.policy.onFailure.maxAttempts} times in a row, which is its maximum`
  );
}

/** Red gates of this iteration with the policy `escalate` that have not been escalated yet. */
export function escalations(run: Run, iteration: Iteration): { gate: string; reason: string }[] {
  return run.task.gates
    .filter(({ name, policy }) => policy.onFailure.action === "escalate" && isRed(run, iteration, name))
    .filter(({ name }) => !iteration.escalated.includes(name))
    .map(({ name }) => ({ gate: name, reason: verdictOf(iteration, name)?.summary ?? "" }));
}

export interface Waiting {
  readonly reason: string;
  readonly gates: readonly string[];
  readonly until?: string;
}

/** Gates that wait for a person, when no wanted gate is red. */
export function findWaiting(run: Run, iteration: Iteration): Waiting | undefined {
  const wanted = wantedGates(run);
  if (wanted.some((gate) => isRed(run, iteration, gate))) return undefined;
  const gates = wanted.filter((gate) => verdictOf(iteration, gate)?.status === "waiting");
  if (gates.length === 0) return undefined;
  const why = gates.map((gate) => `${gate}: ${verdictOf(iteration, gate)?.summary}`).join("; ");
  const [until] = gates.flatMap((gate) => verdictOf(iteration, gate)?.until ?? []).sort();
  return { reason: why, gates, ...(until && { until }) };
}
