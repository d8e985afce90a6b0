// converge ls

import { projectOf } from "#rules/project";
import type { Progress } from "#spec/progress";
import { openContext } from "#state/context";
import { stateWord, type Tampered, type View, viewAll } from "#views/run-view";
import { ago, money, score, sparkline } from "../output/format.ts";
import { firstLine, type Part, tone } from "../output/spans.ts";
import { type Style, styleFor } from "../output/style.ts";
import { table } from "../output/table.ts";
import { state } from "../output/words.ts";
import { whole } from "../support/positive-int.ts";

export interface LsFlags {
  readonly all?: boolean;
  readonly limit?: string;
  readonly json?: boolean;
}

const USUAL = 20;

function asJson(view: View | Tampered): unknown {
  if ("tampered" in view) {
    const { id: run, startedAt, workspace } = view.row;
    return { run, state: "tampered", reason: view.tampered, startedAt, workspace };
  }
  const { run, progress } = view;
  return {
    run: run.id,
    state: stateWord(view),
    reason: run.ended?.reason ?? run.waitingFor?.reason ?? null,
    partial: run.ended?.partial ?? false,
    iterations: progress.iteration,
    score: progress.scores.length > 0 ? progress.overall : null,
    scores: progress.scores,
    costUsd: progress.costUsd ?? null,
    elapsedMs: progress.elapsedMs,
    startedAt: run.startedAt,
    updatedAt: run.updatedAt,
    prompt: run.task.prompt,
    workspace: projectOf(run.task.workspace),
    dir: run.dir,
  };
}

function limitFrom({ all, limit }: LsFlags): number {
  if (all) return Number.POSITIVE_INFINITY;
  return whole("--limit", limit, { hint: "--all lists every run" }) ?? USUAL;
}

function standing({ failing, scores, overall }: Progress): string {
  if (failing) return `${failing.now} failing`;
  return scores.length > 0 ? score(overall) : "";
}

function cells(view: View | Tampered, style: Style): Part[] {
  if ("tampered" in view) {
    const { id, startedAt } = view.row;
    return [tone("strong", id), tone("bad", "tampered"), "", "", "", "", ago(startedAt, Date.now()), ""];
  }
  const { progress, run } = view;
  const { word, tone: kind } = state(run, stateWord(view));
  return [
    tone("strong", run.id),
    tone(kind, word),
    String(progress.iteration),
    standing(progress),
    sparkline(progress.scores, 10, style.glyphs),
    money(progress.costUsd, style.glyphs),
    ago(run.startedAt, Date.now()),
    firstLine(run.task.prompt),
  ];
}

export async function ls(flags: LsFlags): Promise<number> {
  const views = await viewAll(openContext(), limitFrom(flags));
  if (flags.json) {
    for (const view of views) process.stdout.write(`${JSON.stringify(asJson(view))}\n`);
    return 0;
  }
  if (views.length === 0) {
    process.stdout.write("no runs yet; start one with: converge run -p PROMPT --agent-cmd CMD --gate CMD\n");
    return 0;
  }
  const style = styleFor(process.stdout, process.env);
  const head: Part[] = ["RUN", "STATE", "ITER", "SCORE", "", "COST", "AGE", "TASK"].map((word) =>
    tone("faint", word),
  );
  const rows = views.map((view) => cells(view, style));
  for (const line of table([head, ...rows], process.stdout.columns || 100, style))
    process.stdout.write(`${line}\n`);
  return 0;
}
