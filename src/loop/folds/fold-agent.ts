// Folds what the agent of an iteration did: it finished, was delayed, replaced or interrupted, or is away.
import type { EventOf } from "#spec/event";
import type { Run } from "#spec/run";
import { amendIteration, omit } from "./amend.ts";

export function foldAgentFinished(run: Run, event: EventOf<"agent.finished">): Run {
  return amendIteration(run, event.iteration, (iteration) => ({
    ...omit(iteration, "delayedUntil"),
    agent: event.result,
    by: event.agent,
    ...(event.isolation && { isolation: event.isolation }),
  }));
}

export function foldAgentAway(run: Run, { reason, until }: EventOf<"agent.away">): Run {
  return { ...run, state: "away", waitingFor: { reason, gates: [], ...(until && { until }) } };
}

export function foldAgentDelayed(run: Run, event: EventOf<"agent.delayed">): Run {
  return amendIteration(run, event.iteration, (iteration) => ({
    ...iteration,
    delays: iteration.delays + 1,
    delayedUntil: event.until,
    spent: [...iteration.spent, ...(event.usage ? [event.usage] : [])],
  }));
}

export function foldAgentReplaced(run: Run, event: EventOf<"agent.replaced">): Run {
  const amended = amendIteration(run, event.iteration, (iteration) => ({
    ...omit(iteration, "delayedUntil"),
    delays: 0,
    spent: [...iteration.spent, event.result.usage],
  }));
  return { ...amended, unable: [...run.unable, event.agent] };
}

/** Counts the agent's usage even though its files are discarded. */
export function foldInterruption(run: Run, event: EventOf<"iteration.interrupted">): Run {
  const amended = amendIteration(run, event.iteration, ({ agent, ...iteration }) => ({
    ...iteration,
    spent: agent ? [...iteration.spent, agent.usage] : iteration.spent,
    interruptions: iteration.interruptions + 1,
  }));
  return { ...amended, tree: event.tree };
}
