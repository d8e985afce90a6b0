// Folds a resume: after a pause, a crash, an end, or an agent that was away.
import type { EventOf } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import { amendIteration, omit } from "./amend.ts";

/** Removes errored verdicts, so that those gates judge the baseline again. */
function withoutErrored(baseline: Iteration): Iteration {
  const verdicts = baseline.verdicts.filter(({ verdict }) => verdict.status !== "errored");
  return { ...omit(baseline, "score"), verdicts };
}

/** Number of decided iterations: one that the end interrupted continues after the resume. */
function countDecided({ iterations }: Run): number {
  return iterations.length - (iterations.at(-1)?.decision ? 0 : Math.min(1, iterations.length));
}

/** Drops the delivery of an ended run, because the next end needs one of its own, and the wait of a paused run. */
function withoutLastStop(run: Run): Run {
  if (run.ended) return omit(run, "delivered", "ended", "stopping");
  const isPaused = run.state === "away" || run.state === "paused";
  return omit(isPaused ? omit(run, "waitingFor") : run, "stopping");
}

/** Retries an agent or a gate that could not work. */
export function foldResume(run: Run, event: EventOf<"run.resumed">): Run {
  const allows = event.allowErroredBaseline && { allowErroredBaseline: true as const };
  const open: Run = {
    ...withoutLastStop(run),
    task: { ...run.task, limits: { ...run.task.limits, ...event.limits }, ...allows },
    resumedOn: event.host,
    state: run.state === "waiting" ? "waiting" : "running",
    pausing: false,
    unable: [],
    ...(event.isolation && { isolation: event.isolation }),
    reopened: run.state === "ended",
    ...(run.state === "ended" && { reopenedAt: countDecided(run) }),
  };
  const last = run.iterations.at(-1);
  if (run.ended?.outcome !== "blocked" || last?.decision) return open;
  if (!last) return allows ? open : amendIteration(open, 0, withoutErrored);
  return amendIteration(open, last.number, (iteration) => omit(iteration, "agent"));
}
