// converge ls
import { projectOf } from "#rules/project";
import type { StateWord } from "#spec/overview";
import type { Progress } from "#spec/progress";
import type { Tampered, View } from "#views/run-view";
import { ago, money, score, sparkline } from "../output/format.ts";
import { firstLine, type Part, tone } from "../output/spans.ts";
import { type Style, screenFor } from "../output/style.ts";
import { headRow, table } from "../output/table.ts";
import { state } from "../output/words.ts";
import type { Command } from "../support/command.ts";
import { print, printJson } from "../support/messages.ts";
import { positiveInt } from "../support/values.ts";

interface LsFlags {
  readonly all?: boolean;
  readonly limit?: string;
  readonly json?: boolean;
}

/** A run with its state, or a run whose record was changed behind our back. */
type Row = (View & { readonly word: StateWord }) | Tampered;

const DEFAULT_LIMIT = 20;

function asJson(row: Row): unknown {
  if ("tampered" in row) {
    const { id: run, startedAt, workspace } = row.row;
    return { run, state: "tampered", reason: row.tampered, startedAt, workspace };
  }
  const { run, progress, word } = row;
  return {
    run: run.id,
    state: word,
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
  return positiveInt("--limit", limit, { hint: "--all lists every run" }) ?? DEFAULT_LIMIT;
}

function standing({ failing, scores, overall }: Progress): string {
  if (failing) return `${failing.now} failing`;
  return scores.length > 0 ? score(overall) : "";
}

function cells(row: Row, style: Style): Part[] {
  if ("tampered" in row) {
    const { id, startedAt } = row.row;
    return [tone("strong", id), tone("bad", "tampered"), "", "", "", "", ago(startedAt, Date.now()), ""];
  }
  const { progress, run } = row;
  const { word, tone: kind } = state(run, row.word);
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

async function rowsFrom(flags: LsFlags): Promise<Row[]> {
  const { openContext } = await import("#state/context");
  const { stateWord, viewAll } = await import("#views/run-view");
  const views = await viewAll(openContext(), limitFrom(flags));
  return views.map((view) => ("tampered" in view ? view : { ...view, word: stateWord(view) }));
}

export const command: Command = {
  name: "ls",
  description: "list runs, newest first",
  options: [
    { flags: "-a, --all", description: "list all runs" },
    { flags: "-n, --limit <n>", description: `maximum number of runs (default: ${DEFAULT_LIMIT})` },
    { flags: "--json", description: "print one JSON line per run" },
  ],
  isRead: true,
  async run(_args: [], flags: LsFlags) {
    const rows = await rowsFrom(flags);
    if (flags.json) {
      for (const row of rows) printJson(asJson(row));
      return 0;
    }
    if (rows.length === 0) {
      print("no runs yet; start one with: converge run -p PROMPT --agent-cmd CMD --gate CMD");
      return 0;
    }
    const screen = screenFor(100);
    const head = headRow(["RUN", "STATE", "ITER", "SCORE", "", "COST", "AGE", "TASK"]);
    table([head, ...rows.map((row) => cells(row, screen.style))], screen).forEach(print);
    return 0;
  },
};
