// Report section: cost per iteration, and how much of each limit is used.
import type { Usage } from "#spec/agent";
import type { IterationRow, Overview } from "#spec/overview";
import { amount, duration, money } from "#text/format";
import { escaped } from "./html/escaped.ts";
import { said, table } from "./markup.ts";
import { nameOf } from "./words.ts";

interface Budget {
  readonly name: string;
  readonly used: number;
  readonly limit?: number;
  readonly format: (value: number) => string;
}

function budgetsOf({ iterations, task, elapsedMs, tokens, costUsd, progress }: Overview): Budget[] {
  const { limits } = task;
  const budget = (
    name: string,
    used: number | undefined,
    limit: number | undefined,
    format: Budget["format"],
  ) => (used === undefined ? [] : [{ name, used, ...(limit !== undefined && { limit }), format }]);
  return [
    ...budget("iterations", iterations, progress.maxIterations, String),
    ...budget("working time", elapsedMs, progress.maxMs ?? limits.timeMs, duration),
    ...budget("tokens", tokens, limits.tokens, amount),
    ...budget("cost", costUsd, limits.cost, money),
  ];
}

function meter({ name, used, limit, format }: Budget): string {
  const share = limit === undefined || limit <= 0 ? undefined : Math.min(1, used / limit);
  const of =
    limit === undefined
      ? '<span class="soft">no limit</span>'
      : `<span class="soft">of ${escaped(format(limit))}</span>`;
  const fill =
    share === undefined ? "" : `<span class="bar"><i style="width:${Math.round(100 * share)}%"></i></span>`;
  return `<li><span class="soft">${escaped(name)}</span><strong>${escaped(format(used))}</strong> ${of}${fill}</li>`;
}

const tokens = (count: number | undefined): string => (count === undefined ? "–" : amount(count));

function cellsOf(
  { number, agent, usage, files, changedLines }: IterationRow,
  sum: number | undefined,
): string[] {
  const who = agent
    ? `${said(agent.name, 80)}${agent.model ? ` <span class="soft">${said(agent.model, 80)}</span>` : ""}`
    : "";
  const failureTag =
    agent && !agent.ok ? ` <span class="tag bad">${escaped(agent.failure ?? "failed")}</span>` : "";
  return [
    nameOf(number),
    `${who}${failureTag}`,
    agent ? duration(agent.durationMs) : "–",
    files === undefined ? "–" : String(files),
    changedLines === undefined ? "–" : String(changedLines),
    tokens(usage.inputTokens),
    tokens(usage.cachedTokens),
    tokens(usage.outputTokens),
    money(usage.costUsd),
    money(sum),
  ];
}

const add = (sum: number | undefined, { costUsd }: Usage): number | undefined =>
  costUsd === undefined ? sum : (sum ?? 0) + costUsd;

export function costSection(overview: Overview): string[] {
  let sum: number | undefined;
  const rows = overview.rows.map((row) => {
    sum = add(sum, row.usage);
    return cellsOf(row, sum);
  });
  const columns = ["time", "files", "lines", "tokens in", "cached", "tokens out", "cost", "so far"];
  return [
    `<ul class="meters">${budgetsOf(overview).map(meter).join("\n")}</ul>`,
    table(
      [{ title: "iteration" }, { title: "agent" }, ...columns.map((title) => ({ title, number: true }))],
      rows,
    ),
    ...(overview.costUsd === undefined
      ? [
          '<p class="soft">No agent reported its cost. An unknown value is shown as a dash, never as zero.</p>',
        ]
      : []),
  ];
}
