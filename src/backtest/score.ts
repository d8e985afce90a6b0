// Scores a strategy: solved runs kept, iterations saved, false stops and calibration.
import type { Prediction } from "./replay.ts";
import { type Bin, brierSkill, calibration, calibrationError, wilson } from "./statistics.ts";
import { costOf, type Result, type Trial } from "./trial.ts";

export interface Score {
  readonly strategy: string;
  /** Undefined for all sources together. */
  readonly source?: string;
  readonly runs: number;
  readonly solved: number;
  /** Shares 0..1, averaged over the orders; undefined without a basis. */
  readonly kept?: number;
  readonly keptAtWorst?: number;
  readonly saved: number;
  readonly costSaved?: number;
  /** Solved runs stopped before they passed, averaged over the orders; the share with its 95 % interval. */
  readonly falseStops: number;
  readonly falseStopRate?: number;
  readonly falseStopInterval: readonly [number, number];
  /** Calibration of the predicted chances, if any. */
  readonly chances: number;
  readonly calibrationError?: number;
  readonly brierSkill?: number;
  readonly calibration: readonly Bin[];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const isFalseStop = ({ sequence, used }: Result): boolean =>
  sequence.solved && used < sequence.run.iterations.length;

function costSaved(results: readonly Result[]): number | undefined {
  const known = results.flatMap((result) => costOf(result) ?? []);
  const all = sum(known.map((cost) => cost.all));
  return all > 0 ? 1 - sum(known.map((cost) => cost.used)) / all : undefined;
}

function calibrationOf(predictions: readonly Prediction[]) {
  const [error, skill] = [calibrationError(predictions), brierSkill(predictions)];
  return {
    chances: predictions.length,
    ...(error !== undefined && { calibrationError: error }),
    ...(skill !== undefined && { brierSkill: skill }),
    calibration: calibration(predictions),
  };
}

function scoreOf(strategy: string, orders: readonly (readonly Result[])[], source?: string): Score {
  const all = orders.flat();
  const [first = []] = orders;
  const solved = first.filter(({ sequence }) => sequence.solved).length;
  const losses = orders.map((order) => order.filter(isFalseStop).length);
  const falseStops = sum(losses) / Math.max(1, orders.length);
  const savedCost = costSaved(all);
  const iterations = sum(all.map(({ sequence }) => sequence.run.iterations.length));
  return {
    strategy,
    ...(source !== undefined && { source }),
    runs: first.length,
    solved,
    ...(solved > 0 && {
      kept: 1 - falseStops / solved,
      keptAtWorst: 1 - Math.max(...losses) / solved,
      falseStopRate: falseStops / solved,
    }),
    saved: iterations === 0 ? 0 : 1 - sum(all.map(({ used }) => used)) / iterations,
    ...(savedCost !== undefined && { costSaved: savedCost }),
    falseStops,
    falseStopInterval: wilson(falseStops, solved),
    ...calibrationOf(all.flatMap(({ predictions }) => predictions)),
  };
}

/** First all sources together, then each source when there are several. */
export function scoresOf({ name, orders }: Trial): readonly Score[] {
  const sources = [...new Set((orders[0] ?? []).map(({ sequence }) => sequence.source))].sort();
  const of = (source: string) =>
    orders.map((order) => order.filter(({ sequence }) => sequence.source === source));
  const each = sources.length > 1 ? sources : [];
  return [scoreOf(name, orders), ...each.map((source) => scoreOf(name, of(source), source))];
}
