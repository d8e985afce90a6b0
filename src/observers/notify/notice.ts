// Makes a notice of an event: the state of the run at that event, in short plain text.
import { progressOf } from "#loop/progress";
import type { EventOf, RunEvent } from "#spec/event";
import type { Notable, Notice } from "#spec/notify";
import type { Run } from "#spec/run";
import { counted, money, percent } from "#text/format";
import { titleOf } from "#text/labels";
import { head, oneLine, plain } from "#text/plain-text";
import { whereDelivered } from "#text/where-delivered";

const REASON_CHARS = 2_000;
const NAME_CHARS = 200;

interface NoticeContent {
  readonly event: Notable;
  readonly state: string;
  readonly reason: string;
  readonly gate?: string;
}

/** A later `converge deliver` that worked. A delivery before the end is part of the end. */
function deliveredContent({ delivered }: EventOf<"run.delivered">, run: Run) {
  if (!run.ended || delivered.problem !== undefined) return undefined;
  const reason = `delivered as ${delivered.type}: ${whereDelivered(delivered)}`;
  return { event: "delivered" as const, state: run.ended.outcome, reason };
}

/** A `converge restore` by a person. A run that is at work restores files as part of its work. */
function restoredContent({ iteration, saved }: EventOf<"workspace.restored">, run: Run) {
  if (run.state === "running") return undefined;
  const files = iteration === 0 ? "before the run" : `after iteration ${iteration}`;
  const reason = `the workspace has the files from ${files}; the previous files are saved as ${saved.slice(0, 12)}`;
  return { event: "restored" as const, state: run.ended?.outcome ?? run.state, reason };
}

function contentOf(event: RunEvent, run: Run): NoticeContent | undefined {
  switch (event.type) {
    case "run.ended":
      return { event: event.outcome, state: event.outcome, reason: event.reason };
    case "run.paused":
      return event.reason === undefined
        ? undefined
        : { event: "waiting", state: "paused", reason: event.reason };
    case "run.parked":
      return { event: "waiting", state: "waiting", reason: event.reason };
    case "gate.escalated":
      return {
        event: "escalated",
        state: run.state,
        reason: event.reason,
        gate: oneLine(event.gate, NAME_CHARS),
      };
    case "run.delivered":
      return deliveredContent(event, run);
    case "workspace.restored":
      return restoredContent(event, run);
    default:
      return undefined;
  }
}

/** `run` is the run after the event. */
export function noticeOf(event: RunEvent, run: Run): Notice | undefined {
  const content = contentOf(event, run);
  if (!content) return undefined;
  const { scores, overall, costUsd } = progressOf(run);
  return {
    ...content,
    run: run.id,
    reason: head(plain(content.reason), REASON_CHARS),
    iterations: run.iterations.length,
    ...(scores.length > 0 && { score: overall }),
    ...(costUsd !== undefined && { cost: costUsd }),
    title: titleOf(run.task),
    workspace: plain(run.task.workspace.dir),
    time: event.time,
  };
}

/** The notice in one line. */
export function headline({ event, run }: Notice): string {
  if (event === "test") return "Converge: test notification";
  if (event === "escalated") return `Converge: a gate of run ${run} was escalated`;
  if (event === "waiting") return `Converge: run ${run} waits for you`;
  if (event === "delivered") return `Converge: run ${run} was delivered`;
  if (event === "restored") return `Converge: the workspace of run ${run} was restored`;
  return event === "error" ? `Converge: run ${run} ended with an error` : `Converge: run ${run} ${event}`;
}

/** Iterations, score and cost in one line. */
export function figures({ iterations, score, cost }: Notice): string {
  const texts = [
    counted(iterations, "iteration"),
    ...(score === undefined ? [] : [`score ${percent(score)}`]),
    ...(cost === undefined ? [] : [money(cost)]),
  ];
  return texts.join(", ");
}
