// Report section: cost per iteration, and how much of each limit is used.
import type { Usage } from "#spec/agent";
import type { IterationRow, Overview } from "#spec/overview";
import { amount, duration, money, UNKNOWN } from "#text/format";
import { agentFailure, iterationLabel } from "#text/words";
import { bar, line, table } from "./html/blocks.ts";
import { type Child, type Html, html } from "./html/html.ts";

interface Budget {
  readonly name: string;
  /** Undefined when nobody reported it. */
  readonly used: number | undefined;
  readonly limit: number | undefined;
  readonly format: (value: number) => string;
}

function budgetsOf({ iterations, task, elapsedMs, tokens, costUsd, progress }: Overview): Budget[] {
  const { limits } = task;
  const budgets: readonly Budget[] = [
    { name: "iterations", used: iterations, limit: progress.maxIterations, format: String },
    { name: "working time", used: elapsedMs, limit: progress.maxMs ?? limits.timeMs, format: duration },
    { name: "tokens", used: tokens, limit: limits.tokens, format: amount },
    { name: "cost", used: costUsd, limit: limits.cost, format: money },
  ];
  return budgets.filter(({ used }) => used !== undefined);
}

function meter({ name, used = 0, limit, format }: Budget): Html {
  const share = limit === undefined || limit <= 0 ? undefined : used / limit;
  return html`<li><span class="soft">${name}</span><strong>${format(used)}</strong> <span class="soft">${limit === undefined ? "no limit" : `of ${format(limit)}`}</span>${share !== undefined && bar(share)}</li>
`;
}

const tokens = (count: number | undefined): string => (count === undefined ? UNKNOWN : amount(count));

function agentCell({ name, model, ok, failure }: NonNullable<IterationRow["agent"]>): Html {
  const withModel = model && html` <span class="soft">${line(model, 80)}</span>`;
  return html`${line(name, 80)}${withModel}${!ok && html` <span class="tag bad">${agentFailure(failure)}</span>`}`;
}

function cellsOf(
  { number, agent, usage, files, changedLines }: IterationRow,
  sum: number | undefined,
): Child[] {
  return [
    iterationLabel(number),
    agent && agentCell(agent),
    agent ? duration(agent.durationMs) : UNKNOWN,
    files ?? UNKNOWN,
    changedLines ?? UNKNOWN,
    tokens(usage.inputTokens),
    tokens(usage.cachedTokens),
    tokens(usage.outputTokens),
    money(usage.costUsd),
    money(sum),
  ];
}

const add = (sum: number | undefined, { costUsd }: Usage): number | undefined =>
  costUsd === undefined ? sum : (sum ?? 0) + costUsd;

export function costSection(overview: Overview): Child {
  let sum: number | undefined;
  const rows = overview.rows.map((row) => {
    sum = add(sum, row.usage);
    return cellsOf(row, sum);
  });
  const columns = ["time", "files", "lines", "tokens in", "cached", "tokens out", "cost", "so far"];
  return [
    html`<ul class="meters">${budgetsOf(overview).map(meter)}</ul>
`,
    table(
      [{ title: "iteration" }, { title: "agent" }, ...columns.map((title) => ({ title, number: true }))],
      rows,
    ),
    overview.costUsd === undefined &&
      html`<p class="soft">No agent reported its cost. An unknown value is shown as a dash, never as zero.</p>`,
  ];
}
