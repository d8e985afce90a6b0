// Numbers of two runs side by side.
import type { GateCell, IterationRow, Overview } from "#spec/overview";
import { amount, duration, money, percent, UNKNOWN } from "#text/format";
import { stateName } from "#text/words";

export interface Measure {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  /** The better run, if more or less is better. */
  readonly better?: "a" | "b";
}

type Measured = Pick<
  Overview,
  | "state"
  | "partial"
  | "iterations"
  | "score"
  | "best"
  | "gatesPassed"
  | "gatesTotal"
  | "costUsd"
  | "tokens"
  | "elapsedMs"
  | "agent"
  | "strategy"
>;

interface NumberRow {
  readonly name: string;
  readonly of: (run: Measured) => number | undefined;
  readonly show: (value: number) => string;
  /** Whether more is better or worse; absent when neither. */
  readonly more?: "better" | "worse" | undefined;
}

function compareNumbers(a: Measured, b: Measured, { name, of, show, more }: NumberRow): Measure {
  const [left, right] = [of(a), of(b)];
  const format = (value: number | undefined) => (value === undefined ? UNKNOWN : show(value));
  const row = { name, a: format(left), b: format(right) };
  if (more === undefined || left === undefined || right === undefined || left === right) return row;
  return { ...row, better: left > right === (more === "better") ? "a" : "b" };
}

const isSolved = ({ state, partial }: Measured): boolean => state === "converged" && !partial;

export function measuresOf(a: Measured, b: Measured): readonly Measure[] {
  const words = (name: string, of: (run: Measured) => string): Measure => ({ name, a: of(a), b: of(b) });
  const numbers = (row: NumberRow) => compareNumbers(a, b, row);
  const [isSolvedA, isSolvedB] = [isSolved(a), isSolved(b)];
  return [
    {
      ...words("Outcome", ({ state, partial }) => stateName(state, partial)),
      ...(isSolvedA !== isSolvedB && { better: isSolvedA ? ("a" as const) : ("b" as const) }),
    },
    numbers({ name: "Score", of: ({ score }) => score, show: percent, more: "better" }),
    numbers({ name: "Best score", of: ({ best }) => best?.score, show: percent, more: "better" }),
    words("Gates passed", ({ gatesPassed, gatesTotal }) => `${gatesPassed} of ${gatesTotal}`),
    numbers({
      name: "Iterations",
      of: ({ iterations }) => iterations,
      show: String,
      more: isSolvedA && isSolvedB ? "worse" : undefined,
    }),
    numbers({ name: "Cost", of: ({ costUsd }) => costUsd, show: money, more: "worse" }),
    numbers({ name: "Tokens", of: ({ tokens }) => tokens, show: amount, more: "worse" }),
    numbers({ name: "Time", of: ({ elapsedMs }) => elapsedMs, show: duration, more: "worse" }),
    words("Agent", ({ agent }) => agent),
    words("Strategy", ({ strategy }) => strategy),
  ];
}

export interface GateLane {
  readonly gate: string;
  /** One cell per iteration of the longer run. */
  readonly a: readonly (GateCell | undefined)[];
  readonly b: readonly (GateCell | undefined)[];
}

export function numbersIn(...runs: readonly (readonly IterationRow[])[]): readonly number[] {
  return [...new Set(runs.flatMap((rows) => rows.map(({ number }) => number)))].sort((x, y) => x - y);
}

export function lanesOf(a: readonly IterationRow[], b: readonly IterationRow[]): readonly GateLane[] {
  const numbers = numbersIn(a, b);
  const gates = [...new Set([...a, ...b].flatMap((row) => row.gates.map(({ gate }) => gate)))];
  const cells = (rows: readonly IterationRow[], gate: string) => {
    const byNumber = new Map(rows.map((row) => [row.number, row]));
    return numbers.map((number) => byNumber.get(number)?.gates.find((cell) => cell.gate === gate));
  };
  return gates.map((gate) => ({ gate, a: cells(a, gate), b: cells(b, gate) }));
}
