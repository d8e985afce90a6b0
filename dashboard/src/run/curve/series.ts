// The lines of the curve: one for all gates together, one for each gate.
import type { GateCell, IterationRow } from "#spec/overview";

export interface Line {
  /** Absent for the line of all gates together. */
  readonly gate?: string;
  /** Dashed, so that a line below it stays visible. */
  readonly dashed?: true;
  /** null without a verdict. */
  readonly scores: readonly (number | null)[];
}

export interface Lines {
  /** What the lines show: failing tests where every iteration has a count, else the share that passes. */
  readonly unit: "failing" | "score";
  readonly iterations: readonly number[];
  readonly lines: readonly Line[];
}

function gateHeight(cell: GateCell | undefined, unit: Lines["unit"]): number | null {
  if (!cell || cell.status === "skipped" || cell.status === "waiting") return null;
  if (unit === "score") return cell.score;
  return cell.status === "passed" ? 0 : cell.failures;
}

/** A score hardly moves in a large suite, so failing tests are drawn if every judged iteration counts them. */
function unitOf(rows: readonly IterationRow[]): Lines["unit"] {
  const judged = rows.filter(({ score }) => score !== undefined);
  return judged.length > 0 && judged.every(({ failing }) => failing) ? "failing" : "score";
}

/** The height of an iteration on the overall line. */
export const heightOf = ({ score, failing }: IterationRow, unit: Lines["unit"]): number | null =>
  score === undefined ? null : unit === "failing" ? (failing?.now ?? null) : score;

/** Looks at the usual index first: gates have the same order in nearly all rows. */
function cellIn({ gates }: IterationRow, gate: string, place: number): GateCell | undefined {
  const there = gates[place];
  return there?.gate === gate ? there : gates.find((cell) => cell.gate === gate);
}

export function linesOf(rows: readonly IterationRow[], gates: readonly string[]): Lines {
  const unit = unitOf(rows);
  const overall = { scores: rows.map((row) => heightOf(row, unit)) };
  const each = gates.map((gate, place) => ({
    gate,
    scores: rows.map((row) => gateHeight(cellIn(row, gate, place), unit)),
  }));
  return { unit, iterations: rows.map(({ number }) => number), lines: [overall, ...each] };
}

/** Samples at most `most` values evenly, including the first and the last. */
export function thinned<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values;
  const step = (values.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, at) => values[Math.round(at * step)] as T);
}
