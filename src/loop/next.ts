// The loop's state machine: picks the next step of a run from its folded state alone.

import { succeeded } from "#rules/success";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { runAgent } from "./agent.ts";
import { brokenBaseline } from "./errored-gates.ts";
import { judge } from "./judge.ts";
import { limitReason, timeIsUp, timeReason } from "./limits.ts";
import { exhaustedReason, findWaiting, gateToJudge, stopReason } from "./policy.ts";
import { cannotWork, rollbackTarget, shouldContinue, tamperingReason } from "./standing.ts";
import type { Step } from "./step.ts";
import { decide, end, park, pause, restore, startBaseline, startIteration, takeSnapshot } from "./steps.ts";

/** Checks success before limits; every path that repeats checks the limits. */
export function next(run: Run, now: string): Step {
  const { baseline, task } = run;
  const current = run.iterations.at(-1);
  if (run.stopping !== undefined) return end("stopped", run.stopping);
  if (run.pausing) return pause;
  if (!baseline.snapshot) return startBaseline;
  const broken = brokenBaseline(run);
  if (broken) return end("blocked", broken);
  if (!current && task.baseline && gateToJudge(run, baseline, now)) return judge(0);
  if (!current)
    return succeeded(run, baseline)
      ? end("converged", "every gate passes already: nothing to do")
      : beginIteration(run);
  return shouldContinue(run, current) ? beginIteration(run) : continueIteration(run, current, now);
}

function beginIteration(run: Run): Step {
  const limit = limitReason(run);
  if (limit) return giveUp(run, limit);
  const back = rollbackTarget(run);
  return back === undefined ? startIteration : restore(back);
}

function continueIteration(run: Run, current: Iteration, now: string): Step {
  if (!current.agent) return runAgent;
  if (cannotWork(current.agent)) return end("blocked", current.agent.reason ?? "the agent cannot work");
  if (!current.snapshot) return takeSnapshot(current.number);
  const stop = tamperingReason(current) ?? stopReason(run, current);
  if (stop) return end("diverged", stop);
  if (gateToJudge(run, current, now))
    return timeIsUp(run, run.elapsedMs) ? end("diverged", timeReason(run)) : judge(current.number);
  // A person who has decided about the iteration does not have to answer its gates too.
  const asked = current.direction ? undefined : findWaiting(run, current);
  if (asked) return park(asked);
  return current.decision ? conclude(run, current, current.decision) : decide;
}

function conclude(run: Run, current: Iteration, decision: Decision): Step {
  if (succeeded(run, current) || decision.accept) return end("converged", decision.reason);
  if (decision.wait) return park({ reason: decision.reason, gates: [] });
  if (current.direction?.choice === "stop") return end("stopped", decision.reason);
  return giveUp(run, exhaustedReason(run) ?? decision.reason);
}

/** Ends as `blocked`, not `diverged`, when the agent was refused a permission: it was not stuck. */
function giveUp(run: Run, reason: string): Step {
  const [refused] = run.iterations.at(-1)?.agent?.refused ?? [];
  return refused === undefined ? end("diverged", reason) : end("blocked", `${refused} (${reason})`);
}
