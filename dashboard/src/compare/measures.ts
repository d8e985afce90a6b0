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

function numbers(
  name: string,
  [a, b]: readonly (number | undefined)[],
  show: (value: number) => string,
  more?: "better" | "worse",
): Measure {
  const shown = (value: number | undefined) => (value === undefined ? UNKNOWN : show(value));
  const row = { name, a: shown(a), b: shown(b) };
  if (more === undefined || a === undefined || b === undefined || a === b) return row;
  return { ...row, better: a > b === (more === "better") ? "a" : "b" };
}

export function measuresOf(a: Measured, b: Measured): readonly Measure[] {
  const words = (name: string, of: (run: Measured) => string): Measure => ({ name, a: of(a), b: of(b) });
  const each = (of: (run: Measured) => number | undefined) => [of(a), of(b)] as const;
  const [wonA, wonB] = [a.state === "converged" && !a.partial, b.state === "converged" && !b.partial];
  return [
    {
      ...words("Outcome", ({ state, partial }) => stateName(state, partial)),
      ...(wonA !== wonB && { better: wonA ? ("a" as const) : ("b" as const) }),
    },
    numbers(
      "Score",
      each(({ score }) => score),
      percent,
      "better",
    ),
    numbers(
      "Best score",
      each(({ best }) => best?.score),
      percent,
      "better",
    ),
    words("Gates passed", ({ gatesPassed, gatesTotal }) => `${gatesPassed} of ${gatesTotal}`),
    numbers(
      "Iterations",
      each(({ iterations }) => iterations),
      String,
      wonA && wonB ? "worse" : undefined,
    ),
    numbers(
      "Cost",
      each(({ costUsd }) => costUsd),
      money,
      "worse",
    ),
    numbers(
      "Tokens",
      each(({ tokens }) => tokens),
      amount,
      "worse",
    ),
    numbers(
      "Time",
      each(({ elapsedMs }) => elapsedMs),
      duration,
      "worse",
    ),
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
