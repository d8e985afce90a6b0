// Formats each event as one or a few log lines. The log is complete without the live panel.
import { bestBeyondLast } from "#rules/best-iteration";
import type { Isolated } from "#spec/agent";
import type { Command } from "#spec/command";
import type { EventOf, RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import { agents, component, isSession } from "#text/labels";
import { awayRows, delayedRows, finishedRows, notedRows, replacedRows } from "./agent-lines.ts";
import { clock, counted, duration, score } from "./format.ts";
import { decisionRows, escalatedRows, judgedRows } from "./gate-lines.ts";
import { nextSteps, stepParts } from "./next-steps.ts";
import { firstLine, type Part, reasonRows, render, tone, wrap } from "./spans.ts";
import type { Screen } from "./style.ts";
import { isolation, iterationName, limits, protects, state, workspace } from "./words.ts";
import {
  deliveredRows,
  outputRows,
  protectedRows,
  restoredRows,
  shortTree,
  snapshotRows,
} from "./workspace-lines.ts";

const FACT_LINES = 3;

/** `run` is already folded with the event. */
export function eventLines(event: RunEvent, run: Run, screen: Screen): string[] {
  return rowsOf(event, run, screen).map((parts) => render(parts, screen));
}

function rowsOf(event: RunEvent, run: Run, screen: Screen): Part[][] {
  switch (event.type) {
    case "run.started":
      return startedRows(event, screen);
    case "iteration.started":
      return iterationRows(event, run, screen);
    case "agent.finished":
      return finishedRows(event, run, screen);
    case "agent.away":
      return awayRows(event, screen);
    case "agent.delayed":
      return delayedRows(event, screen);
    case "agent.replaced":
      return replacedRows(event, run, screen);
    case "memory.noted":
      return notedRows(event, screen);
    case "snapshot.taken":
      return snapshotRows(event, screen);
    case "outputs.seen":
      return outputRows(event, screen);
    case "protected.changed":
      return protectedRows(event, screen);
    case "gate.judged":
      return judgedRows(event, run, screen);
    case "gate.escalated":
      return escalatedRows(event, screen);
    case "decision.made":
      return decisionRows(event, run, screen);
    case "command.received":
      return commandRows(event, screen);
    case "iteration.interrupted":
      return interruptedRows(event, screen);
    case "workspace.restored":
      return restoredRows(event, run);
    case "run.paused":
      return pausedRows(event, run, screen);
    case "run.parked":
      return parkedRows(event, run, screen);
    case "run.resumed":
      return resumedRows(event, run, screen);
    case "run.delivered":
      return deliveredRows(event.delivered, screen);
    case "run.ended":
      return endedRows(event, run, screen);
  }
}

function nextRows(run: Run, { columns }: Screen): Part[][] {
  return nextSteps(run).map((step) => ["  ", ...stepParts(step, columns - 2)]);
}

function startedRows(event: EventOf<"run.started">, { style, columns }: Screen): Part[][] {
  const { task } = event;
  const gates = task.gates.map((gate) => gate.name).join(", ");
  const facts = [
    `agent ${agents(task)}`,
    gates === "" ? "no gates" : `gates ${gates}`,
    ...(task.until.length > 0 ? [`until ${task.until.join(", ")}`] : []),
    component(task.strategy),
    ...limits(task.limits, style.glyphs),
    ...protects(task),
    workspace(task),
    ...isolationFact(event.isolation, task),
  ];
  return [
    [tone("strong", `converge ${event.run}`), "  ", firstLine(task.prompt)],
    ...wrap(facts.join(` ${style.glyphs.dot} `), columns - 2, FACT_LINES).map((line) => [`  ${line}`]),
    [tone("faint", `  in ${event.dir}`)],
  ];
}

/** Omitted for a session: it belongs to the user, and we do not sandbox it. */
const isolationFact = (value: Isolated | undefined, task: Task): string[] =>
  value && !isSession(task) ? [`isolation ${isolation(value)}`] : [];

function iterationRows(
  { iteration, time }: EventOf<"iteration.started">,
  run: Run,
  { style }: Screen,
): Part[][] {
  const rest = ` of ${run.task.limits.iterations} ${style.glyphs.dot} ${clock(time)}`;
  return [[tone("strong", `iteration ${iteration}`), tone("faint", rest)]];
}

function commandRows({ queued }: EventOf<"command.received">, { style }: Screen): Part[][] {
  return [[tone("accent", `${style.glyphs.goOn} asked to ${describeCommand(queued.command)}`)]];
}

function describeCommand(command: Command): string {
  switch (command.type) {
    case "stop":
      return `stop: ${command.reason}`;
    case "pause":
      return "pause";
    case "steer":
      return `steer: ${command.text}`;
    case "decide": {
      const choice = command.choice === "rollback" ? "roll back" : command.choice;
      const to = command.iteration === undefined ? "" : ` to ${iterationName(command.iteration)}`;
      return choice + to + (command.feedback ? `: ${command.feedback}` : "");
    }
    case "approve":
    case "reject":
      return `${command.type} ${command.gate}, by ${command.by}${command.message ? `: ${command.message}` : ""}`;
  }
}

function interruptedRows(event: EventOf<"iteration.interrupted">, { style, columns }: Screen): Part[][] {
  const words = `${style.glyphs.warning} iteration ${event.iteration} was interrupted`;
  return [
    ...reasonRows(tone("loud", words), event.reason, { columns }),
    [`  its files are saved as tree ${shortTree(event.tree)}`],
  ];
}

function pausedRows(event: EventOf<"run.paused">, run: Run, screen: Screen): Part[][] {
  const words = `${screen.style.glyphs.pause} paused`;
  const rows =
    event.reason === undefined
      ? [[tone("warn", words)]]
      : reasonRows(tone("loud", words), event.reason, screen);
  return [...rows, ...nextRows(run, screen)];
}

function parkedRows(event: EventOf<"run.parked">, run: Run, screen: Screen): Part[][] {
  const phrase = tone("loud", `${screen.style.glyphs.pause} waiting`);
  return [...reasonRows(phrase, event.reason, screen), ...nextRows(run, screen)];
}

function resumedRows(event: EventOf<"run.resumed">, { task }: Run, { style }: Screen): Part[][] {
  const words = [
    isSession(task)
      ? `the session's turn ended at ${clock(event.time)}`
      : `resumed on ${event.host} at ${clock(event.time)}`,
    ...limits(event.limits ?? {}, style.glyphs),
    ...isolationFact(event.isolation, task),
  ];
  return [[tone("accent", `${style.glyphs.goOn} ${words.join(` ${style.glyphs.dot} `)}`)]];
}

/** Prefix of a solved run's reason, which is printed alone. */
const SOLVED = "solved in iteration";

function endedRows(event: EventOf<"run.ended">, run: Run, screen: Screen): Part[][] {
  const { word, tone: kind } = state(run);
  const time = duration(event.elapsedMs);
  const phrase = tone(kind, `${word} after ${counted(event.iterations, "iteration")} in ${time}`);
  const rows =
    event.outcome === "converged" && event.reason.startsWith(SOLVED)
      ? wrap(`${event.reason} (${time})`, screen.columns, FACT_LINES).map((line) => [tone(kind, line)])
      : reasonRows(phrase, event.reason, screen);
  return [...rows, ...betterRows(event, run), ...nextRows(run, screen)];
}

function betterRows({ outcome }: EventOf<"run.ended">, run: Run): Part[][] {
  const best = outcome === "converged" ? undefined : bestBeyondLast(run);
  return best
    ? [[`  better than the last iteration: ${iterationName(best.iteration)} with score ${score(best.score)}`]]
    : [];
}
