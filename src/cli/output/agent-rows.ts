// Log lines about the agent: how it ended, its usage and message, and the processes it left behind.

import type { AgentResult } from "#spec/agent";
import type { RunEvent } from "#spec/event";
import type { Note } from "#spec/note";
import type { Run } from "#spec/run";
import type { Component } from "#spec/task";
import type { Snapshot } from "#spec/workspace";
import { component } from "#text/labels";
import { amount, clock, counted, duration, money } from "./format.ts";
import { reasonRows } from "./reason-rows.ts";
import { firstLine, lastLine, oneLine, type Part, tone } from "./spans.ts";
import type { Style } from "./style.ts";
import { agentFailure } from "./words.ts";

const NAMES_SHOWN = 3;
const REFUSED_SHOWN = 3;

/** "a, b, c, +4 more" */
function some(names: readonly string[], count: number): string {
  const shown = names.slice(0, NAMES_SHOWN).map(oneLine);
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`+${more} more`] : [])].join(", ");
}

function used(result: AgentResult, style: Style): string {
  const { inputTokens, outputTokens, costUsd } = result.usage;
  const known = inputTokens !== undefined || outputTokens !== undefined;
  return [
    ...(known ? [`${amount((inputTokens ?? 0) + (outputTokens ?? 0))} tokens`] : []),
    ...(costUsd === undefined ? [] : [money(costUsd, style.glyphs)]),
  ]
    .map((item) => ` ${style.glyphs.dot} ${item}`)
    .join("");
}

function endRows(result: AgentResult, style: Style, columns: number): Part[][] {
  const time = duration(result.durationMs);
  const usage = used(result, style);
  if (result.ok) return [["  agent done in ", time, tone("faint", usage)]];
  const words = `${style.glyphs.status.failed} agent ${agentFailure(result.failure)} after ${time}`;
  return reasonRows(tone("bad", words), (result.reason ?? "no reason given") + usage, columns, "  ");
}

/** The message of a command is its whole output, with the result at the end. */
function messageLine({ message }: AgentResult, agent: Component | undefined): string {
  return agent?.type === "command" ? lastLine(message) : firstLine(message);
}

export function agentRows(
  { result, agent }: Extract<RunEvent, { type: "agent.finished" }>,
  { task }: Run,
  style: Style,
  columns: number,
): Part[][] {
  const message = messageLine(result, task.agents[agent]);
  return [
    ...endRows(result, style, columns),
    ...(message ? [[tone("faint", `  ${style.glyphs.quote} ${message}`)]] : []),
    ...refusedRows(result, style, columns),
    ...leftBehindRows(result.leftBehind, style),
  ];
}

/** Actions that the agent was denied, with the setting that would allow them. */
function refusedRows({ refused = [], reason }: AgentResult, style: Style, columns: number): Part[][] {
  const told = refused.filter((text) => text !== reason);
  const more = told.length - REFUSED_SHOWN;
  return [
    ...told
      .slice(0, REFUSED_SHOWN)
      .flatMap((text) => reasonRows(tone("warn", `${style.glyphs.warning} refused`), text, columns, "  ")),
    ...(more > 0 ? [[tone("faint", `    +${more} more`)]] : []),
  ];
}

function leftBehindRows(processes: readonly string[], style: Style): Part[][] {
  if (processes.length === 0) return [];
  const count = counted(processes.length, "process", "processes");
  const what = `  ${style.glyphs.warning} ended ${count} that the agent left behind: `;
  return [[tone("warn", what), some(processes, processes.length)]];
}

export function awayRows(event: Extract<RunEvent, { type: "agent.away" }>, style: Style): Part[][] {
  return [[tone("faint", `  ${style.glyphs.status.waiting} ${oneLine(event.reason)}`)]];
}

export function delayRows(
  event: Extract<RunEvent, { type: "agent.delayed" }>,
  style: Style,
  columns: number,
): Part[][] {
  const wait = duration(Date.parse(event.until) - Date.parse(event.time));
  const words = `${style.glyphs.status.waiting} agent goes on at ${clock(event.until)}, in ${wait}`;
  return reasonRows(tone("warn", words), event.reason, columns, "  ");
}

export function replacedRows(
  event: Extract<RunEvent, { type: "agent.replaced" }>,
  run: Run,
  style: Style,
  columns: number,
): Part[][] {
  const name = (index: number) => oneLine(component(run.task.agents[index] ?? { type: `agent ${index}` }));
  const words = `${style.glyphs.warning} ${name(event.agent)} ${agentFailure(event.result.failure)}; ${name(event.by)} takes over`;
  return reasonRows(tone("warn", words), event.result.reason ?? "no reason given", columns, "  ");
}

/** Prints only a problem: the summary itself is in the next prompt. */
export function notedRows(note: Note, style: Style, columns: number): Part[][] {
  if (note.problem === undefined) return [];
  const words = `${style.glyphs.warning} no summary, what was captured stands in for it`;
  return reasonRows(tone("warn", words), note.problem, columns, "  ");
}

export function snapshotRows(iteration: number, snapshot: Snapshot, style: Style, columns: number): Part[][] {
  const { changeCount, changes, omitted } = snapshot;
  const files = some(
    changes.map((change) => change.path),
    changeCount,
  );
  const changed =
    changeCount === 0
      ? ["  no files changed"]
      : [`  ${counted(changeCount, "file")} changed: `, tone("faint", files)];
  const missing = omitted.flatMap((what) =>
    reasonRows(tone("loud", `${style.glyphs.warning} NOT CAPTURED`), what, columns, "  "),
  );
  return iteration === 0 ? missing : [changed, ...missing];
}
