// Replays ended runs with several strategies, in one or more orders, and scores the results.

import type { Registries } from "#catalog/built-ins";
import { UsageError } from "#spec/errors";
import { type Contender, createContender } from "./contender.ts";
import { type Score, scoresOf } from "./score.ts";
import type { Sequence } from "./sequence.ts";
import { shuffled } from "./statistics.ts";
import { runTrial } from "./trial.ts";

export interface BacktestOptions {
  readonly registry: Registries["strategies"];
  /** As named on the command line. */
  readonly strategies: readonly string[];
  /** Base folder for strategy modules. */
  readonly dir: string;
  /** Number of shuffled orders; 0 keeps the given order. */
  readonly orders: number;
  readonly seed: number;
  /** Also score adaptive over a range of values. */
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
      `there is no run to replay: ${all.length === 0 ? "none was found" : `all ${all.length} were cut short`}; record some with \`converge run\`, or pass a folder of logs with --data`,
    );
  const closers: (() => Promise<void>)[] = [];
  const create = (name: string): Promise<Contender> =>
    createContender(name, { dir, registry, onClose: (close) => closers.push(close) });
  try {
    const contenders = await Promise.all(strategies.map(create));
    const values = options.curve ? VALUES : [];
    const curveContenders = await Promise.all(values.map((value) => create(`adaptive:{"value":${value}}`)));
    const orders = ordersOf(whole, options.orders, options.seed);
    const passesOf = (one: Contender) => (one.learns ? orders.length : 1);
    const steps =
      [...contenders, ...curveContenders].reduce((sum, one) => sum + passesOf(one), 0) * whole.length;
    let done = 0;
    const score = async (one: Contender) =>
      scoresOf(await runTrial(one, orders, () => onProgress(++done, steps)));
    const scores: Score[] = [];
    for (const one of contenders) scores.push(...(await score(one)));
    const curve: { value: number; score: Score }[] = [];
    for (const [at, one] of curveContenders.entries())
      for (const result of await score(one)) curve.push({ value: values[at] ?? 0, score: result });
    return { scores, curve };
  } finally {
    await Promise.all(closers.map((close) => close()));
  }
}
