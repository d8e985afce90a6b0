// Formats each event as one or a few log lines. The log is complete without the live panel.
import { isUnread, UNREAD } from "#rules/cautions";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { agentRows, awayRows, delayRows, notedRows, replacedRows, snapshotRows } from "./agent-rows.ts";
import { decisionRows, standingRows } from "./decision-rows.ts";
import { clock } from "./format.ts";
import { gateRows } from "./gate-rows.ts";
import { reasonRows } from "./reason-rows.ts";
import { deliveredRows, outputRows, protectedRows } from "./result-rows.ts";
import {
  askedRows,
  endRows,
  interruptedRows,
  parkedRows,
  pausedRows,
  restoredRows,
  resumedRows,
  startRows,
} from "./run-rows.ts";
import { type Part, render, tone } from "./spans.ts";
import type { Style } from "./style.ts";

/** Default width without a terminal. */
const USUAL_COLUMNS = 100;

/** `run` is already folded with the event. */
export function lines(event: RunEvent, run: Run, style: Style, columns: number = USUAL_COLUMNS): string[] {
  return rowsOf(event, run, style, columns).map((parts) => render(parts, columns, style));
}

function rowsOf(event: RunEvent, run: Run, style: Style, columns: number): Part[][] {
  switch (event.type) {
    case "run.started":
      return startRows(event, style, columns);
    case "iteration.started":
      return iterationRows(event.iteration, event.time, run, style);
    case "agent.finished":
      return agentRows(event, run, style, columns);
    case "agent.away":
      return awayRows(event, style);
    case "agent.delayed":
      return delayRows(event, style, columns);
    case "agent.replaced":
      return replacedRows(event, run, style, columns);
    case "memory.noted":
      return notedRows(event.note, style, columns);
    case "snapshot.taken":
      return snapshotRows(event.iteration, event.snapshot, style, columns);
    case "outputs.seen":
      return outputRows(event, columns);
    case "protected.changed":
      return protectedRows(event, style, columns);
    case "gate.judged":
      return judgedRows(event, run, style, columns);
    case "gate.escalated":
      return reasonRows(
        tone("loud", `${style.glyphs.warning} ESCALATED ${event.gate}`),
        event.reason,
        columns,
        "  ",
      );
    case "decision.made":
      return decisionRows(event.iteration, event.decision, run, style, columns);
    case "command.received":
      return askedRows(event.queued.command, style);
    case "iteration.interrupted":
      return interruptedRows(event, style, columns);
    case "workspace.restored":
      return restoredRows(event, run);
    case "run.paused":
      return pausedRows(event, run, style, columns);
    case "run.parked":
      return parkedRows(event, run, style, columns);
    case "run.resumed":
      return resumedRows(event, run, style);
    case "run.delivered":
      return deliveredRows(event, style, columns);
    case "run.ended":
      return endRows(event, run, columns);
  }
}

function iterationRows(iteration: number, time: string, run: Run, style: Style): Part[][] {
  const rest = ` of ${run.task.limits.iterations} ${style.glyphs.dot} ${clock(time)}`;
  return [[tone("strong", `iteration ${iteration}`), tone("faint", rest)]];
}

/** The baseline has no start event: its first verdict prints the heading, its last one the total. */
function judgedRows(
  event: Extract<RunEvent, { type: "gate.judged" }>,
  run: Run,
  style: Style,
  columns: number,
): Part[][] {
  const rows = gateRows(run, event, style, columns);
  if (event.iteration !== 0) return rows;
  const { verdicts } = run.baseline;
  const heading = verdicts.length === 1 ? [[tone("strong", "baseline")]] : [];
  const isLast = verdicts.length === run.task.gates.length;
  return [
    ...heading,
    ...rows,
    ...(isLast ? [...standingRows(run, run.baseline, style), ...unreadRows(run, style, columns)] : []),
  ];
}

/** Warns before the first agent starts: gates without recognised test results are easier to fool. */
function unreadRows({ baseline, task }: Run, style: Style, columns: number): Part[][] {
  if (!isUnread(baseline, task.gates.length)) return [];
  const said = tone("warn", `${style.glyphs.warning} no test results were recognised`);
  return reasonRows(said, UNREAD, columns, "  ");
}
