// One run as a table row; on a phone, as a card.
import type { VNode } from "preact";
import type { Summary } from "#spec/overview";
import { amount, money, UNKNOWN } from "#text/format";
import { level } from "#text/words";
import { baseName } from "../base-name.ts";
import { Ago } from "../parts/ago.tsx";
import { Sparkline } from "../parts/sparkline.tsx";
import { StateBadge } from "../parts/state-badge.tsx";
import { href } from "../router.ts";

function Cost({ costUsd, tokens }: Pick<Summary, "costUsd" | "tokens">) {
  if (costUsd !== undefined) return <>{money(costUsd)}</>;
  if (tokens !== undefined) return <>{amount(tokens)} tokens</>;
  return <span class="soft">{UNKNOWN}</span>;
}

function RunRow({ run }: { run: Summary }) {
  return (
    <tr>
      <td class="cell-state">
        <StateBadge state={run.state} partial={run.partial} />
      </td>
      <td class="cell-title">
        <a class="run-link" href={href("runs", run.id)}>
          {run.title || run.id}
        </a>
        <span class="run-about soft">
          {run.id} · {run.agent}
          {run.reason && ` · ${run.reason}`}
        </span>
      </td>
      <td class="cell-score" data-label="Score">
        <Sparkline scores={run.scores} />
        <span class="score">{level(run)}</span>
      </td>
      <td class="number" data-label="Iterations">
        {run.iterations} / {run.maxIterations}
      </td>
      <td class="number" data-label="Gates">
        {run.gatesPassed} / {run.gatesTotal}
      </td>
      <td class="number" data-label="Cost">
        <Cost {...run} />
      </td>
      <td class="number" data-label="Started">
        <Ago time={run.startedAt} />
      </td>
      <td class="cell-workspace" data-label="Workspace" title={run.workspace}>
        {baseName(run.workspace)}
      </td>
    </tr>
  );
}

const drawn = new WeakMap<Summary, VNode>();

/** Caches the row of a summary, so that only changed runs are drawn again. */
export function rowOf(run: Summary): VNode {
  const row = drawn.get(run) ?? <RunRow key={run.id} run={run} />;
  drawn.set(run, row);
  return row;
}
