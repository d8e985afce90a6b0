// converge backtest: replays ended runs to measure strategies.
import fs from "node:fs";
import path from "node:path";
import type { Backtest } from "#backtest/backtest";
import type { Score } from "#backtest/score";
import type { Sequence } from "#backtest/sequence";
import { UsageError } from "#spec/errors";
import { share as shareOf } from "#text/format";
import { counted } from "../output/format.ts";
import { oneLine, type Part, tone } from "../output/spans.ts";
import { screenFor } from "../output/style.ts";
import { headRow, table } from "../output/table.ts";
import type { Command } from "../support/command.ts";
import { print, printJson } from "../support/messages.ts";
import { positiveInt } from "../support/values.ts";

interface BacktestFlags {
  readonly data?: string;
  readonly strategy?: readonly string[];
  readonly json?: boolean;
  readonly html?: string;
  readonly orders?: string;
  readonly seed?: string;
}

/** The runs to replay. */
interface Sample {
  readonly sequences: readonly Sequence[];
  /** Lines or runs that could not be read. */
  readonly unread: readonly string[];
}

const MIN_COLUMNS = 100;
const MAX_UNREAD_NAMED = 10;
const MAX_ORDERS = 100;
const DEFAULT_STRATEGIES = ["adaptive", "hybrid"];

async function readSample(runs: readonly string[], { data }: BacktestFlags): Promise<Sample> {
  if (data === undefined) {
    const { recordedRuns } = await import("#backtest/recorded");
    const { openContext } = await import("#state/context");
    return recordedRuns(openContext(), runs);
  }
  if (runs.length > 0)
    throw new UsageError("backtest replays recorded runs or the logs in --data, not both; leave one out");
  const { readLogs } = await import("#backtest/read-logs");
  return readLogs(path.resolve(data));
}

/** Describes the sample: which runs count, and which are left out. */
function notesOn({ sequences, unread }: Sample, orders: number): string[] {
  const replayed = sequences.filter((one) => one.whole);
  const cut = sequences.length - replayed.length;
  const givenUp = replayed.filter((one) => one.givenUp).length;
  const solved = replayed.filter((one) => one.solved).length;
  const order =
    orders === 0 ? "in the order in which they were recorded" : `in ${counted(orders, "shuffled order")}`;
  const named = unread.slice(0, MAX_UNREAD_NAMED).join(", ");
  const more = unread.length > MAX_UNREAD_NAMED ? ` and ${unread.length - MAX_UNREAD_NAMED} more` : "";
  return [
    `${counted(replayed.length, "run")}, ${solved} of them solved, ${order}`,
    ...(cut > 0 ? [`left out ${counted(cut, "run")}: cut short by a person, an error or the agent`] : []),
    ...(givenUp > 0
      ? [
          `${counted(givenUp, "run")} stopped by ${givenUp === 1 ? "its" : "their"} own strategy before the limit: whether more iterations would have passed is unknown`,
        ]
      : []),
    ...(unread.length > 0
      ? [`could not read ${counted(unread.length, "line or run", "lines or runs")}: ${named}${more}`]
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

function printScores({ scores }: Backtest, notes: readonly string[]): void {
  const { style, columns } = screenFor(140);
  for (const note of notes) print(oneLine(note));
  const rows = scores.map((score) => cells(score, style.glyphs.unknown));
  const lines = table([headRow(HEAD), ...rows], { style, columns: Math.max(MIN_COLUMNS, columns) });
  print(`\n${lines.join("\n")}`);
}

/** Progress in percent, only on a terminal. */
function showProgress() {
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

/** Shuffled orders and their seed; 0 orders: as recorded. */
function ordersFrom(flags: BacktestFlags): { readonly orders: number; readonly seed: number } {
  const orders = positiveInt("--orders", flags.orders, { max: MAX_ORDERS }) ?? 0;
  const seed = positiveInt("--seed", flags.seed, { max: 2 ** 31 - 1 });
  if (seed !== undefined && orders === 0)
    throw new UsageError("--seed needs --orders; add --orders 5, or leave --seed out");
  return { orders, seed: seed ?? 1 };
}

export const command: Command = {
  name: "backtest",
  description: "measure what strategies would have kept and saved of ended runs",
  arguments: [{ name: "[runs...]", description: "recorded runs (default: all that have ended)" }],
  options: [
    {
      flags: "--data <dir>",
      description: "replay logs instead: a folder of *.jsonl files with one run per line, or one such file",
    },
    {
      flags: "--strategy <name>",
      description: `a strategy, or name:{options as JSON}; repeat to compare (default: ${DEFAULT_STRATEGIES.join(", ")})`,
      isRepeatable: true,
    },
    {
      flags: "--orders <n>",
      description: "number of shuffled orders, for strategies that learn (default: as recorded)",
    },
    { flags: "--seed <n>", description: "seed of the shuffling (default: 1)" },
    { flags: "--html <file>", description: "also write a page with charts" },
    { flags: "--json", description: "print only one JSON object" },
  ],
  notes: `Kept: solved runs that the strategy does not stop before they pass. Saved: iterations that it does not make. A stop of
a run that would have passed is a false stop. See docs/backtest.md for the logs and how to read the table.`,
  examples: [
    "converge backtest --strategy adaptive --strategy hybrid",
    `converge backtest last --strategy 'fixed:{"iterations":3}'`,
    `converge backtest --data logs --strategy adaptive --strategy 'adaptive:{"value":"thrifty"}' --orders 5`,
    `converge backtest --data logs --strategy 'custom:{"module":"./mine.mjs"}' --html backtest.html`,
  ],
  exitCodes: "0 measured, 2 usage error",
  isRead: true,
  async run([runs]: [readonly string[]], flags: BacktestFlags) {
    const { orders, seed } = ordersFrom(flags);
    const sample = await readSample(runs, flags);
    const { backtest } = await import("#backtest/backtest");
    const { builtIns } = await import("#catalog/built-ins");
    const progress = showProgress();
    const result = await backtest(sample.sequences, {
      registry: builtIns().strategies,
      strategies: flags.strategy ?? DEFAULT_STRATEGIES,
      dir: process.cwd(),
      orders,
      seed,
      curve: flags.html !== undefined,
      onProgress: progress.step,
    }).finally(progress.done);
    const notes = notesOn(sample, orders);
    if (flags.html !== undefined) {
      const { pageOf } = await import("#backtest/page");
      fs.writeFileSync(flags.html, pageOf({ title: "Backtest of strategies", notes, ...result }));
    }
    if (flags.json) {
      const leftOut = sample.sequences.filter((one) => !one.whole).length;
      printJson({ orders, leftOut, unread: sample.unread, scores: result.scores });
    } else
      printScores(result, flags.html === undefined ? notes : [...notes, `wrote the page to ${flags.html}`]);
    return 0;
  },
};
