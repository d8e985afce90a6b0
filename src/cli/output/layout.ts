// Input and column widths that all rows of the live panel share, so that their columns line up.
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import { fitted, pad, score, sparkline, testFraction } from "./format.ts";
import { nameWidth } from "./gate-rows.ts";
import { oneLine, type Part, tone } from "./spans.ts";
import type { Style } from "./style.ts";
import { width } from "./width.ts";

export interface FrameInput {
  readonly run: Run;
  readonly progress: Progress;
  /** The last lines of the agent's or the gate's log, newest last. */
  readonly activity: readonly string[];
  /** Wall clock, in milliseconds. */
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
  /** Counts up; each step turns the spinner once. */
  readonly spinner: number;
}

export interface Layout {
  readonly columns: number;
  readonly narrow: boolean;
  /** Column widths from left to right: names, sparklines, values. */
  readonly label: number;
  readonly spark: number;
  readonly value: number;
}

const WIDEST = 120;
const NARROW = 60;
const ROOMY = 100;

export function layoutOf(input: FrameInput): Layout {
  const { byGate, scores } = input.progress;
  const columns = Math.min(input.columns, WIDEST);
  const narrow = columns < NARROW;
  const names = byGate.map((gate) => gate.gate);
  const points = Math.max(scores.length, ...byGate.map((gate) => gate.scores.length));
  return {
    columns,
    narrow,
    label: Math.max("decision".length, nameWidth(names, narrow ? 12 : 24)),
    spark: Math.min(points, narrow ? 6 : columns < ROOMY ? 10 : 16),
    value: Math.max(
      "0.00".length,
      width(standing(input)),
      ...byGate.map((gate) => (gate.tests ? testFraction(gate.tests).length : 0)),
    ),
  };
}

/** "4 → 3" failing tests if they are counted, else the score. */
export function standing({ progress, style }: Pick<FrameInput, "progress" | "style">): string {
  const { failing, scores, overall } = progress;
  if (!failing) return scores.length > 0 ? score(overall) : style.glyphs.unknown;
  const { now, before = now } = failing;
  return before === now ? String(now) : `${before} ${style.glyphs.to} ${now}`;
}

export function labelled(sign: Part, label: string, layout: Layout, style: Style): Part[] {
  return [sign, " ", pad(fitted(oneLine(label), layout.label, style.glyphs), layout.label), "  "];
}

export function sparked(scores: readonly number[], layout: Layout, style: Style): Part[] {
  if (layout.spark === 0) return [];
  const spark = sparkline(scores, layout.spark, style.glyphs);
  return [tone("accent", pad(spark, layout.spark)), "  "];
}
