// Log lines about the agent: how it ended, its usage and message, and the processes it left behind.

import type { AgentResult } from "#spec/agent";
import type { EventOf } from "#spec/event";
import type { Run } from "#spec/run";
import type { Component } from "#spec/task";
import { component } from "#text/labels";
import { amount, clock, counted, duration, money } from "./format.ts";
import { firstLine, lastLine, oneLine, type Part, reasonRows, tone } from "./spans.ts";
import type { Screen, Style } from "./style.ts";
import { agentFailure } from "./words.ts";

const NAMES_SHOWN = 3;
const REFUSED_SHOWN = 3;
const NO_REASON = "no reason given";

/** "a, b, c, +4 more" */
export function nameSome(names: readonly string[], count: number): string {
  const shown = names.slice(0, NAMES_SHOWN).map(oneLine);
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`+${more} more`] : [])].join(", ");
}

function usageText(result: AgentResult, style: Style): string {
  const { inputTokens, outputTokens, costUsd } = result.usage;
  const known = inputTokens !== undefined || outputTokens !== undefined;
  return [
    ...(known ? [`${amount((inputTokens ?? 0) + (outputTokens ?? 0))} tokens`] : []),
    ...(costUsd === undefined ? [] : [money(costUsd, style.glyphs)]),
  ]
    .map((item) => ` ${style.glyphs.dot} ${item}`)
    .join("");
}

function resultRows(result: AgentResult, { style, columns }: Screen): Part[][] {
  const time = duration(result.durationMs);
  const usage = usageText(result, style);
  if (result.ok) return [["  agent done in ", time, tone("faint", usage)]];
  const phrase = tone(
    "bad",
    `${style.glyphs.status.failed} agent ${agentFailure(result.failure)} after ${time}`,
  );
  return reasonRows(phrase, (result.reason ?? NO_REASON) + usage, { columns, indent: "  " });
}

/** The message of a command is its whole output, with the result at the end. */
function messageLine({ message }: AgentResult, agent: Component | undefined): string {
  return agent?.type === "command" ? lastLine(message) : firstLine(message);
}

export function finishedRows(
  { result, agent }: EventOf<"agent.finished">,
  { task }: Run,
  screen: Screen,
): Part[][] {
  const message = messageLine(result, task.agents[agent]);
  return [
    ...resultRows(result, screen),
    ...(message ? [[tone("faint", `  ${screen.style.glyphs.quote} ${message}`)]] : []),
    ...refusedRows(result, screen),
    ...leftBehindRows(result.leftBehind, screen.style),
  ];
}

/** Actions that the agent was denied, with the setting that would allow them. */
function refusedRows({ refused = [], reason }: AgentResult, { style, columns }: Screen): Part[][] {
  const others = refused.filter((text) => text !== reason);
  const more = others.length - REFUSED_SHOWN;
  const phrase = tone("warn", `${style.glyphs.warning} refused`);
  return [
    ...others.slice(0, REFUSED_SHOWN).flatMap((text) => reasonRows(phrase, text, { columns, indent: "  " })),
    ...(more > 0 ? [[tone("faint", `    +${more} more`)]] : []),
  ];
}

function leftBehindRows(processes: readonly string[], style: Style): Part[][] {
  if (processes.length === 0) return [];
  const count = counted(processes.length, "process", "processes");
  const what = `  ${style.glyphs.warning} ended ${count} that the agent left behind: `;
  return [[tone("warn", what), nameSome(processes, processes.length)]];
}

export function awayRows({ reason }: EventOf<"agent.away">, { style }: Screen): Part[][] {
  return [[tone("faint", `  ${style.glyphs.status.waiting} ${oneLine(reason)}`)]];
}

export function delayedRows(event: EventOf<"agent.delayed">, { style, columns }: Screen): Part[][] {
  const wait = duration(Date.parse(event.until) - Date.parse(event.time));
  const words = `${style.glyphs.status.waiting} agent continues at ${clock(event.until)}, in ${wait}`;
  return reasonRows(tone("warn", words), event.reason, { columns, indent: "  " });
}

export function replacedRows(
  event: EventOf<"agent.replaced">,
  run: Run,
  { style, columns }: Screen,
): Part[][] {
  const name = (index: number) => oneLine(component(run.task.agents[index] ?? { type: `agent ${index}` }));
  const words = `${style.glyphs.warning} ${name(event.agent)} ${agentFailure(event.result.failure)}; ${name(event.by)} takes over`;
  return reasonRows(tone("warn", words), event.result.reason ?? NO_REASON, { columns, indent: "  " });
}

/** Prints only a problem: the summary itself is in the next prompt. */
export function notedRows({ note }: EventOf<"memory.noted">, { style, columns }: Screen): Part[][] {
  if (note.problem === undefined) return [];
  const words = `${style.glyphs.warning} no summary; the captured output is used instead`;
  return reasonRows(tone("warn", words), note.problem, { columns, indent: "  " });
}
