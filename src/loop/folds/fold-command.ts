// Folds a person's command, once the run has read it from its inbox.
import { askedAt } from "#rules/success";
import type { EventOf } from "#spec/event";
import type { Iteration, Judged, Run } from "#spec/run";
import { amendIteration, omit, unpark } from "./amend.ts";

/** Removes the gate's waiting verdict, so that it judges again with the answer. Ignores an answer nobody asked for. */
function withAnswer(iteration: Iteration, answer: Iteration["approvals"][number]): Iteration {
  if (askedAt(iteration, answer.gate) === undefined) return iteration;
  const waits = ({ gate, verdict }: Judged) => gate === answer.gate && verdict.status === "waiting";
  return {
    ...iteration,
    approvals: [...iteration.approvals, answer],
    verdicts: iteration.verdicts.filter((one) => !waits(one)),
  };
}

export function foldCommand(run: Run, { queued }: EventOf<"command.received">): Run {
  const { command } = queued;
  const base: Run = { ...run, inbox: queued.id };
  const number = run.iterations.at(-1)?.number ?? 0;
  switch (command.type) {
    case "stop":
      return unpark({ ...base, stopping: command.reason });
    case "pause":
      return { ...base, pausing: true };
    case "steer":
      return { ...base, steering: [...base.steering, command.text] };
    case "decide":
      return unpark(
        amendIteration(base, number, (one) => ({ ...omit(one, "decision"), direction: command })),
      );
    case "approve":
    case "reject":
      return unpark(amendIteration(base, number, (one) => withAnswer(one, command)));
  }
}
