import { describe, expect, it } from "vitest";
import { best, bestToRestore } from "#rules/best-iteration";
import type { Judged } from "#spec/run";
import { type ExampleIteration, exampleRun, exampleVerdict } from "#testing/run";

const failing = (count: number): readonly Judged[] => [
  {
    gate: "tests",
    verdict: exampleVerdict({
      failures: Array.from({ length: count }, (_, at) => ({ id: `t${at}`, message: "no" })),
    }),
  },
];
const bestOf = (facts: readonly ExampleIteration[]) => best(exampleRun(facts))?.iteration;

describe("best", () => {
  it("picks the highest score", () => {
    expect(bestOf([{ score: 0.2 }, { score: 0.8 }, { score: 0.5 }])).toBe(2);
  });

  it("breaks a tie by the fewest failures", () => {
    expect(
      bestOf([
        { score: 0.5, verdicts: failing(3), lines: 1 },
        { score: 0.5, verdicts: failing(2), lines: 9 },
      ]),
    ).toBe(2);
  });

  it("breaks a further tie by the smallest diff against the base", () => {
    expect(
      bestOf([
        { score: 0.5, lines: 40 },
        { score: 0.5, lines: 12 },
        { score: 0.5, lines: 12 },
      ]),
    ).toBe(2);
  });

  it("prefers the earliest of equal iterations, also without line counts", () => {
    expect(bestOf([{ score: 0.5 }, { score: 0.5, lines: 1 }])).toBe(1);
  });

  it("picks the base when nothing is better", () => {
    expect(bestOf([{ score: 0, lines: 3 }])).toBe(0);
  });

  it("returns nothing without a score or without files", () => {
    expect(best(exampleRun([{ tree: null }], { baseline: { score: null } }))).toBeUndefined();
  });
});

describe("bestToRestore", () => {
  const restored = (facts: readonly ExampleIteration[], baseline: ExampleIteration = {}) => {
    const run = exampleRun(facts, { baseline });
    return bestToRestore([run.baseline, ...run.iterations])?.number;
  };

  it("picks the highest score, then the fewest failures, as best does", () => {
    expect(restored([{ score: 0.8 }, { score: 0.2 }])).toBe(1);
    expect(
      restored([
        { score: 0.5, verdicts: failing(2) },
        { score: 0.5, verdicts: failing(3) },
      ]),
    ).toBe(1);
  });

  it("prefers the latest of equal iterations, which keeps most of the agent's work, however large its diff", () => {
    const equal = { score: 0.5, verdicts: failing(2) };
    expect(
      restored([
        { ...equal, lines: 1 },
        { ...equal, lines: 99 },
      ]),
    ).toBe(2);
  });

  it("picks the latest snapshot without any score, and nothing without any snapshot", () => {
    const bare = { score: null };
    expect(restored([bare, bare, { ...bare, tree: null }], bare)).toBe(2);
    expect(restored([{ ...bare, tree: null }], { ...bare, tree: null })).toBeUndefined();
  });
});
