// The scores of a run as lines: one for all gates together, one for each of them.
import type { GateCell, IterationRow } from "#spec/overview";

export interface Line {
  /** Absent for the line of all gates together. */
  readonly gate?: string;
  /** To be seen beside another one that it covers. */
  readonly dashed?: true;
  /** null where nothing was judged. */
  readonly scores: readonly (number | null)[];
}

export interface Lines {
  readonly iterations: readonly number[];
  readonly lines: readonly Line[];
}

function scoreOf(cell: GateCell | undefined): number | null {
  return !cell || cell.status === "skipped" || cell.status === "waiting" ? null : cell.score;
}

/** A gate's place in a row is the same in nearly all of them, so that is where it is looked for first. */
function cellIn({ gates }: IterationRow, gate: string, place: number): GateCell | undefined {
  const there = gates[place];
  return there?.gate === gate ? there : gates.find((cell) => cell.gate === gate);
}

export function linesOf(rows: readonly IterationRow[], gates: readonly string[]): Lines {
  const overall = { scores: rows.map(({ score }) => score ?? null) };
  const each = gates.map((gate, place) => ({
    gate,
    scores: rows.map((row) => scoreOf(cellIn(row, gate, place))),
  }));
  return { iterations: rows.map(({ number }) => number), lines: [overall, ...each] };
}

/** At most so many of them, the first and the last included. */
export function thinned<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values;
  const step = (values.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, at) => values[Math.round(at * step)] as T);
}
