// Log lines of a run's lifecycle: started, interrupted, paused, parked, resumed and ended.

import { bestBeyondLast } from "#rules/best-iteration";
import type { Isolated } from "#spec/agent";
import type { Command } from "#spec/command";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import { agents, component, isSession } from "#text/labels";
import { clock, counted, duration, score } from "./format.ts";
import { next, stepParts } from "./next.ts";
import { reasonRows } from "./reason-rows.ts";
import { firstLine, type Part, tone, wrap } from "./spans.ts";
import type { Style } from "./style.ts";
import { isolation, iterationName, limits, protects, state, workspace } from "./words.ts";

const FACT_LINES = 3;

type Of<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

const short = (tree: string): string => tree.slice(0, 12);

function nextRows(run: Run, columns: number): Part[][] {
  return next(run).map((step) => ["  ", ...stepParts(step, columns - 2)]);
}

export function startRows(event: Of<"run.started">, style: Style, columns: number): Part[][] {
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

export function askedRows(command: Command, style: Style): Part[][] {
  return [[tone("accent", `${style.glyphs.goOn} asked to ${asked(command)}`)]];
}

function asked(command: Command): string {
  switch (command.type) {
    case "stop":
      return `stop: ${command.reason}`;
    case "pause":
      return "pause";
    case "steer":
      return `steer: ${command.text}`;
    case "decide": {
      const to = command.iteration === undefined ? "" : ` to ${iterationName(command.iteration)}`;
      return (
        (command.choice === "rollback" ? "roll back" : command.choice) +
        to +
        (command.feedback ? `: ${command.feedback}` : "")
      );
    }
    case "approve":
    case "reject":
      return `${command.type} ${command.gate}, by ${command.by}${command.message ? `: ${command.message}` : ""}`;
  }
}

export function interruptedRows(event: Of<"iteration.interrupted">, style: Style, columns: number): Part[][] {
  const words = `${style.glyphs.warning} iteration ${event.iteration} was cut off`;
  return [
    ...reasonRows(tone("loud", words), event.reason, columns),
    [`  its files are kept as tree ${short(event.tree)}`],
  ];
}

export function restoredRows(event: Of<"workspace.restored">, run: Run): Part[][] {
  const { iteration, tree } = event;
  const whole = (iteration === 0 ? run.baseline : run.iterations[iteration - 1])?.snapshot?.tree === tree;
  const to = `  files put back to ${whole ? iterationName(iteration) : `tree ${short(tree)}`}`;
  return [[tone("warn", to), tone("faint", `, what was there is kept as tree ${short(event.saved)}`)]];
}

export function pausedRows(event: Of<"run.paused">, run: Run, style: Style, columns: number): Part[][] {
  const words = `${style.glyphs.pause} paused`;
  const rows =
    event.reason === undefined
      ? [[tone("warn", words)]]
      : reasonRows(tone("loud", words), event.reason, columns);
  return [...rows, ...nextRows(run, columns)];
}

export function parkedRows(event: Of<"run.parked">, run: Run, style: Style, columns: number): Part[][] {
  return [
    ...reasonRows(tone("loud", `${style.glyphs.pause} waiting`), event.reason, columns),
    ...nextRows(run, columns),
  ];
}

export function resumedRows(event: Of<"run.resumed">, { task }: Run, style: Style): Part[][] {
  const changed = limits(event.limits ?? {}, style.glyphs);
  const words = [
    isSession(task)
      ? `the session's turn ended at ${clock(event.time)}`
      : `resumed on ${event.host} at ${clock(event.time)}`,
    ...changed,
    ...isolationFact(event.isolation, task),
  ];
  return [[tone("accent", `${style.glyphs.goOn} ${words.join(` ${style.glyphs.dot} `)}`)]];
}

export function endRows(event: Of<"run.ended">, run: Run, columns: number): Part[][] {
  const { word, tone: kind } = state(run);
  const time = duration(event.elapsedMs);
  const said =
    event.outcome === "converged" && event.reason.startsWith(SOLVED)
      ? wrap(`${event.reason} (${time})`, columns, FACT_LINES).map((line) => [tone(kind, line)])
      : reasonRows(
          tone(kind, `${word} after ${counted(event.iterations, "iteration")} in ${time}`),
          event.reason,
          columns,
        );
  return [...said, ...betterRows(event, run), ...nextRows(run, columns)];
}

/** Prefix of a solved run's reason, which is printed alone. */
const SOLVED = "solved in iteration";

function betterRows({ outcome }: Of<"run.ended">, run: Run): Part[][] {
  const best = outcome === "converged" ? undefined : bestBeyondLast(run);
  return best
    ? [[`  better than what is there: ${iterationName(best.iteration)} with score ${score(best.score)}`]]
    : [];
}
