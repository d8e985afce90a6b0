// What a gate's verdict means for the run: the user's policy around any gate.
import { isRed, verdictOf, wantedGates } from "#rules/success";
import type { Iteration, Run } from "#spec/run";
import type { GateSpec } from "#spec/task";
import type { Verdict } from "#spec/verdict";

/** Failing verdicts of the gate in a row, up to now; the baseline is nobody's attempt. */
function attempts(run: Run, gate: string): number {
  const judged = run.iterations.filter((iteration) => verdictOf(iteration, gate));
  return judged.length - 1 - judged.findLastIndex((iteration) => !isRed(run, iteration, gate));
}

/** The first gate that has not judged this iteration yet, or has waited as long as it may. */
export function gateToJudge(run: Run, iteration: Iteration, now: string): GateSpec | undefined {
  return run.task.gates.find(({ name }) => {
    const verdict = verdictOf(iteration, name);
    return !verdict || (verdict.status === "waiting" && isOver(verdict.until, now));
  });
}

/** Every other gate has judged the iteration already. */
export function isLastGate(run: Run, iteration: Iteration, gate: string): boolean {
  return run.task.gates.every(({ name }) => name === gate || verdictOf(iteration, name));
}

/** A moment has come; both are in ISO form. */
export function isOver(until: string | undefined, now: string): boolean {
  return until !== undefined && until <= now;
}

function settled(status: Verdict["status"], summary: string): Verdict {
  return { status, score: 0, summary, failures: [], evidence: {}, durationMs: 0 };
}

/** The verdict when nothing has to be run: skipped, waiting for a person, or carried over unchanged. */
export function verdictWithoutJudging(run: Run, iteration: Iteration, gate: GateSpec): Verdict | undefined {
  const { policy, name } = gate;
  const earlier = iteration.verdicts.map((one) => one.gate);
  const ender = run.task.gates.find(
    (other) =>
      other.policy.onSuccess === "skip-remaining" &&
      earlier.includes(other.name) &&
      verdictOf(iteration, other.name)?.status === "passed",
  );
  if (ender) return settled("skipped", `skipped: ${ender.name} passed, and that is enough`);
  const failed = policy.skipIf?.failed.find((other) => isRed(run, iteration, other));
  if (failed) return settled("skipped", `skipped: ${failed} failed`);
  if (policy.condition === "manual") return manualVerdict(iteration, name);
  if (policy.condition === "on-change") return carriedVerdict(run, iteration, name);
  return undefined;
}

function manualVerdict(iteration: Iteration, gate: string): Verdict | undefined {
  const answer = iteration.approvals.findLast((approval) => approval.gate === gate);
  if (answer?.type === "approve") return undefined;
  if (!answer) return settled("waiting", "waiting for a person to start it");
  const summary = `rejected by ${answer.by}`;
  const message = answer.message ? `${summary}: ${answer.message}` : summary;
  return { ...settled("failed", summary), failures: [{ message }] };
}

/** Nothing was judged yet. */
const isOpen = ({ status }: Verdict) => status === "skipped" || status === "waiting";

/** The gate's last own verdict, when the files are still the ones it spoke of. */
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

/** How long to wait before the gate judges again, because it failed before. */
export function backoffMs(run: Run, gate: GateSpec): number {
  const { backoff } = gate.policy.onFailure;
  const failed = attempts({ ...run, iterations: run.iterations.slice(0, -1) }, gate.name);
  if (!backoff || failed === 0) return 0;
  return Math.min(backoff.maxMs, backoff.delayMs * backoff.factor ** (failed - 1));
}

/** A red gate that ends the run at once. */
export function stopper(run: Run, iteration: Iteration): string | undefined {
  const gate = run.task.gates.find(
    ({ name, policy }) => policy.onFailure.action === "stop" && isRed(run, iteration, name),
  );
  return gate && `gate ${gate.name} ${verdictOf(iteration, gate.name)?.status}, and its policy is to stop`;
}

/** A gate that has failed as often as it may. */
export function exhausted(run: Run): string | undefined {
  const gate = run.task.gates.find(
    ({ name, policy }) =>
      policy.onFailure.maxAttempts !== undefined && attempts(run, name) >= policy.onFailure.maxAttempts,
  );
  return (
    gate &&
    `gate ${gate.name} failed ${gate.policy.onFailure.maxAttempts} times in a row, which is its maximum`
  );
}

/** Red gates of this iteration that a person wants to hear of and has not yet. */
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

/** Gates that wait for a person, when nothing but them stands in the way. */
export function waiting(run: Run, iteration: Iteration): Waiting | undefined {
  const wanted = wantedGates(run);
  if (wanted.some((gate) => isRed(run, iteration, gate))) return undefined;
  const gates = wanted.filter((gate) => verdictOf(iteration, gate)?.status === "waiting");
  if (gates.length === 0) return undefined;
  const why = gates.map((gate) => `${gate}: ${verdictOf(iteration, gate)?.summary}`).join("; ");
  const [until] = gates.flatMap((gate) => verdictOf(iteration, gate)?.until ?? []).sort();
  return { reason: why, gates, ...(until && { until }) };
}
