// Strategies against runs that are over: what is tried, in which orders, and what came of it.

import type { PartContext } from "#catalog/part-context";
import type { Registry } from "#catalog/registry";
import { UsageError } from "#spec/errors";
import type { Strategy } from "#spec/strategy";
import { type Contender, componentOf, contender } from "./contender.ts";
import { type Score, scoresOf } from "./score.ts";
import type { Sequence } from "./sequence.ts";
import { shuffled } from "./statistics.ts";
import { tryOut } from "./trial.ts";

export interface BacktestOptions {
  readonly registry: Registry<Strategy, PartContext>;
  /** As named on the command line. */
  readonly strategies: readonly string[];
  /** Where the modules of strategies are found. */
  readonly dir: string;
  /** So many shuffled orders; 0 for the one in which they are given. */
  readonly orders: number;
  readonly seed: number;
  /** Also adaptive over its values. */
  readonly curve: boolean;
  readonly onProgress?: (done: number, all: number) => void;
}

export interface Backtest {
  readonly scores: readonly Score[];
  readonly curve: readonly { readonly value: number; readonly score: Score }[];
}

/** From giving up at once to hardly ever. */
const VALUES = [10, 20, 50, 100, 200, 300, 1000];

export function ordersOf(all: readonly Sequence[], orders: number, seed: number) {
  if (orders === 0) return [all];
  return Array.from({ length: orders }, (_, at) => shuffled(all, seed + at));
}

export async function backtest(all: readonly Sequence[], options: BacktestOptions): Promise<Backtest> {
  const { registry, dir, strategies, onProgress = () => {} } = options;
  const whole = all.filter((sequence) => sequence.whole);
  if (whole.length === 0)
    throw new UsageError(
      `there is no run to replay: ${all.length === 0 ? "none was found" : `all ${all.length} were cut short`}; record some with \`converge run\`, or name a folder of logs with --data`,
    );
  const closers: (() => Promise<void>)[] = [];
  const made = (name: string): Promise<Contender> =>
    contender(name, componentOf(name, dir), registry, (close) => closers.push(close));
  try {
    const contenders = await Promise.all(strategies.map(made));
    const values = options.curve ? VALUES : [];
    const over = await Promise.all(values.map((value) => made(`adaptive:{"value":${value}}`)));
    const orders = ordersOf(whole, options.orders, options.seed);
    const turns = (one: Contender) => (one.learns ? orders.length : 1);
    const steps = [...contenders, ...over].reduce((sum, one) => sum + turns(one), 0) * whole.length;
    let done = 0;
    const scored = async (one: Contender) =>
      scoresOf(await tryOut(one, orders, () => onProgress(++done, steps)));
    const scores: Score[] = [];
    for (const one of contenders) scores.push(...(await scored(one)));
    const curve: { value: number; score: Score }[] = [];
    for (const [at, one] of over.entries())
      for (const score of await scored(one)) curve.push({ value: values[at] ?? 0, score });
    return { scores, curve };
  } finally {
    await Promise.all(closers.map((close) => close()));
  }
}
