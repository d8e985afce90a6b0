// converge backtest: replays ended runs to measure what strategies would have kept and saved.
import fs from "node:fs";
import path from "node:path";
import { type Backtest, backtest as tryAll } from "#backtest/backtest";
import { pageOf } from "#backtest/page";
import { readLogs } from "#backtest/read-logs";
import { recordedRuns } from "#backtest/recorded";
import type { Score } from "#backtest/score";
import type { Sequence } from "#backtest/sequence";
import { builtIns } from "#catalog/built-ins";
import { UsageError } from "#spec/errors";
import { openContext } from "#state/context";
import { share as shareOf } from "#text/format";
import { counted } from "../output/format.ts";
import { oneLine, type Part, tone } from "../output/spans.ts";
import { styleFor } from "../output/style.ts";
import { table } from "../output/table.ts";
import { whole } from "../support/positive-int.ts";

export interface BacktestFlags {
  readonly data?: string;
  readonly strategy?: readonly string[];
  readonly json?: boolean;
  readonly html?: string;
  readonly orders?: string;
  readonly seed?: string;
}

interface Given {
  readonly sequences: readonly Sequence[];
  /** Lines or runs that could not be read. */
  readonly unread: readonly string[];
}

const NARROWEST = 100;
const NAMED = 10;
const MOST_ORDERS = 100;
const STRATEGIES = ["adaptive", "hybrid"];

async function given(runs: readonly string[], { data }: BacktestFlags): Promise<Given> {
  if (data === undefined) return recordedRuns(openContext(), runs);
  if (runs.length === 0) return readLogs(path.resolve(data));
  throw new UsageError("backtest replays recorded runs or the logs in --data, not both; leave one out");
}

/** Describes the sample: which runs count, and which are left out. */
function notesOn({ sequences, unread }: Given, orders: number): string[] {
  const replayed = sequences.filter((one) => one.whole);
  const cut = sequences.length - replayed.length;
  const givenUp = replayed.filter((one) => one.givenUp).length;
  const named = unread.slice(0, NAMED).join(", ");
  const more = unread.length > NAMED ? ` and ${unread.length - NAMED} more` : "";
  return [
    `${counted(replayed.length, "run")}, ${replayed.filter(({ solved }) => solved).length} of them solved, ${orders === 0 ? "in the order in which they were recorded" : `in ${counted(orders, "shuffled order")}`}`,
    ...(cut > 0 ? [`${counted(cut, "run")} left out: cut short, by a person, an error or the agent`] : []),
    ...(givenUp > 0
      ? [
          `${counted(givenUp, "run")} given up by the strategy of that time before the limit: nobody knows whether more iterations would have passed`,
        ]
      : []),
    ...(unread.length > 0
      ? [`${counted(unread.length, "line or run", "lines or runs")} not read: ${named}${more}`]
      : []),
  ];
}

const HEAD = [
  "STRATEGY",
  "SOURCE",
  "RUNS",
  "KEPT",
  "SAVED",
  "COST SAVED",
  "FALSE STOPS",
  "95%",
  "ECE",
  "SKILL",
];

function cells(score: Score, unknown: string): Part[] {
  const decimal = (value: number | undefined) => value?.toFixed(3) ?? unknown;
  const share = (value: number | undefined) => (value === undefined ? unknown : shareOf(value));
  const [low, high] = score.falseStopInterval;
  const interval = `${shareOf(low, 2)} to ${shareOf(high, 2)}`;
  return [
    tone("strong", score.strategy),
    score.source ?? "all",
    String(score.runs),
    tone("strong", share(score.kept)),
    tone("strong", share(score.saved)),
    share(score.costSaved),
    `${Number(score.falseStops.toFixed(1))} of ${score.solved}`,
    score.solved === 0 ? unknown : interval,
    decimal(score.calibrationError),
    decimal(score.brierSkill),
  ];
}

function show({ scores }: Backtest, notes: readonly string[]): void {
  const style = styleFor(process.stdout, process.env);
  for (const note of notes) process.stdout.write(`${oneLine(note)}\n`);
  const head: Part[] = HEAD.map((word) => tone("faint", word));
  const rows = scores.map((score) => cells(score, style.glyphs.unknown));
  const columns = Math.max(NARROWEST, process.stdout.columns || 140);
  process.stdout.write(`\n${table([head, ...rows], columns, style).join("\n")}\n`);
}

/** Progress in percent, only on a terminal. */
function progress() {
  if (!process.stderr.isTTY) return { step: () => {}, done: () => {} };
  let shown = -1;
  return {
    step: (done: number, all: number) => {
      const now = Math.floor((100 * done) / all);
      if (now !== shown) process.stderr.write(`\rreplaying: ${now}%`);
      shown = now;
    },
    done: () => process.stderr.write("\r\u001b[K"),
  };
}

export async function backtest(runs: readonly string[], flags: BacktestFlags): Promise<number> {
  const orders = whole("--orders", flags.orders, { most: MOST_ORDERS }) ?? 0;
  const seed = whole("--seed", flags.seed, { most: 2 ** 31 - 1 });
  if (seed !== undefined && orders === 0)
    throw new UsageError("--seed shuffles nothing without --orders; add --orders 5, or leave it out");
  const all = await given(runs, flags);
  const bar = progress();
  const { strategies: registry } = builtIns();
  const found = await tryAll(all.sequences, {
    registry,
    strategies: flags.strategy ?? STRATEGIES,
    dir: process.cwd(),
    orders,
    seed: seed ?? 1,
    curve: flags.html !== undefined,
    onProgress: bar.step,
  }).finally(bar.done);
  const notes = notesOn(all, orders);
  if (flags.html !== undefined)
    fs.writeFileSync(flags.html, pageOf({ title: "Backtest of strategies", notes, ...found }));
  if (flags.json) {
    const leftOut = all.sequences.filter((one) => !one.whole).length;
    const facts = { orders, leftOut, unread: all.unread, scores: found.scores };
    process.stdout.write(`${JSON.stringify(facts)}\n`);
  } else show(found, flags.html === undefined ? notes : [...notes, `the page is in ${flags.html}`]);
  return 0;
}
