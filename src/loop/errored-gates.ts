// Handles gates that cannot judge: the run ends before its first agent starts, or pauses before the next one.
import { verdictOf } from "#rules/success";
import type { Run } from "#spec/run";
import type { GateSpec } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { oneLine } from "#text/plain-text";

function cannotJudge(verdict: Verdict | undefined): verdict is Verdict {
  return verdict?.status === "errored" && !verdict.mendable;
}

/** Truncates a long command, so that the advice after it stays visible. */
const GATE_CHARS = 60;

const complaint = (gate: string, { summary }: Verdict) =>
  `gate "${oneLine(gate, GATE_CHARS)}" cannot judge: ${summary}.`;

/** Why no agent may start; undefined when every gate can judge the baseline or does not have to. */
export function brokenBaseline({ task, baseline, iterations }: Run): string | undefined {
  if (task.allowErroredBaseline || iterations.length > 0) return undefined;
  for (const { name } of task.gates) {
    const verdict = verdictOf(baseline, name);
    if (cannotJudge(verdict))
      return `${complaint(name, verdict)} No agent was started. Mend this and run again, or pass --allow-errored-baseline to let the agent build what is missing`;
  }
  return undefined;
}

/** Whether the gate has passed or failed in this run before. */
function hasJudged({ baseline, iterations }: Run, gate: string): boolean {
  const verdicts = [baseline, ...iterations].map((iteration) => verdictOf(iteration, gate)?.status);
  return verdicts.includes("passed") || verdicts.includes("failed");
}

/**
 * Why the run pauses on this verdict. With an allowed errored baseline the agent builds what the gate needs, so it gets
 * the verdict until the gate has judged once.
 */
export function pauseReason(run: Run, { name }: GateSpec, verdict: Verdict): string | undefined {
  if (!cannotJudge(verdict) || (run.task.allowErroredBaseline && !hasJudged(run, name))) return undefined;
  return `${complaint(name, verdict)} The agent cannot mend this and is not told; the gate judges again on resume`;
}
