// The state of a run after its first event, and of an iteration when it starts.
import { iterationLimit, recordedIterations } from "#rules/iteration-limit";
import type { EventOf, RunEvent } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import type { Task } from "#spec/task";

/** A new iteration: only its number, prompt and start are known. */
export function newIteration(
  { number, prompt, from }: Pick<Iteration, "number" | "prompt" | "from">,
  { time, elapsedMs }: Pick<RunEvent, "time" | "elapsedMs">,
): Iteration {
  return {
    number,
    ...(from && { from }),
    startedAt: time,
    startedMs: elapsedMs,
    prompt,
    delays: 0,
    spent: [],
    verdicts: [],
    escalated: [],
    asked: {},
    approvals: [],
    interruptions: 0,
  };
}

/** Tasks of earlier versions store the strategy's limit beside the task's; the smaller one applies. */
function withEffectiveLimit(task: Task): Task {
  const iterations = iterationLimit(recordedIterations(task.strategy), task.limits.iterations);
  return iterations === task.limits.iterations ? task : { ...task, limits: { ...task.limits, iterations } };
}

export function newRun(event: EventOf<"run.started">): Run {
  return {
    id: event.run,
    seq: event.seq,
    task: withEffectiveLimit(event.task),
    taskHash: event.taskHash,
    dir: event.dir,
    host: event.host,
    startedAt: event.time,
    updatedAt: event.time,
    elapsedMs: event.elapsedMs,
    state: "running",
    ...(event.head && { head: event.head }),
    pins: event.pins ?? {},
    ...(event.own && { own: event.own }),
    ...(event.submission && { submission: event.submission }),
    ...(event.traceparent && { traceparent: event.traceparent }),
    ...(event.isolation && { isolation: event.isolation }),
    unable: [],
    baseline: newIteration({ number: 0, prompt: "" }, event),
    iterations: [],
    pausing: false,
    steering: [],
    inbox: 0,
    reopened: false,
  };
}
