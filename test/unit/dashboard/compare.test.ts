import { describe, expect, it } from "vitest";
import { lanesOf, measuresOf, numbersIn } from "../../../dashboard/src/compare/measures.ts";
import { settingsThatDiffer } from "../../../dashboard/src/compare/settings.ts";
import type { GateCell, IterationRow, Overview } from "../../../src/spec/overview.ts";

const run = (change: Partial<Overview>) =>
  ({
    state: "converged",
    partial: false,
    iterations: 3,
    score: 1,
    gatesPassed: 2,
    gatesTotal: 2,
    elapsedMs: 60_000,
    agent: "claude",
    strategy: "hybrid",
    ...change,
  }) as Overview;

describe("comparing two runs", () => {
  it("marks the better run, and none where a value is missing or not comparable", () => {
    const measures = measuresOf(
      run({ costUsd: 0.5, iterations: 3 }),
      run({ state: "diverged", score: 0.5, iterations: 2, elapsedMs: 30_000 }),
    );
    const by = Object.fromEntries(measures.map((measure) => [measure.name, measure]));
    expect(by.Outcome).toEqual({ name: "Outcome", a: "converged", b: "not solved", better: "a" });
    expect(by.Score).toMatchObject({ a: "100%", b: "50%", better: "a" });
    expect(by.Cost).toEqual({ name: "Cost", a: "$0.50", b: "–" });
    expect(by.Time).toMatchObject({ better: "b" });
    // Fewer iterations are no advantage of a run that did not converge.
    expect(by.Iterations).not.toHaveProperty("better");
  });

  it("aligns their gates and iterations", () => {
    const cell = (gate: string, status: string) => ({ gate, status }) as GateCell;
    const row = (number: number, ...gates: GateCell[]) => ({ number, gates }) as unknown as IterationRow;
    const a = [row(0, cell("tests", "failed")), row(1, cell("tests", "passed"))];
    const b = [row(1, cell("tests", "failed"), cell("types", "passed")), row(2, cell("types", "passed"))];
    expect(numbersIn(a, b)).toEqual([0, 1, 2]);
    expect(lanesOf(a, b)).toEqual([
      {
        gate: "tests",
        a: [cell("tests", "failed"), cell("tests", "passed"), undefined],
        b: [undefined, cell("tests", "failed"), undefined],
      },
      {
        gate: "types",
        a: [undefined, undefined, undefined],
        b: [undefined, cell("types", "passed"), cell("types", "passed")],
      },
    ]);
  });

  it("lists the settings that differ, with gates matched by name", () => {
    const a = {
      prompt: "x",
      gates: [
        { name: "one", weight: 1 },
        { name: "two", weight: 1 },
      ],
      limits: { cost: 5 },
    };
    const b = { prompt: "x", gates: [{ name: "two", weight: 2 }], limits: {} };
    expect(settingsThatDiffer(a, b)).toEqual([
      { name: "gates[one].name", a: "one", b: "–" },
      { name: "gates[one].weight", a: "1", b: "–" },
      { name: "gates[two].weight", a: "1", b: "2" },
      { name: "limits.cost", a: "5", b: "–" },
    ]);
    expect(settingsThatDiffer(a, a)).toEqual([]);
  });
});
