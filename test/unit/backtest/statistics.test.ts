import { describe, expect, it } from "vitest";
import { brierSkill, calibration, calibrationError, shuffled, wilson } from "#backtest/statistics";

const predictions = (chance: number, ...passed: (0 | 1)[]) =>
  passed.map((each) => ({ chance, passed: each === 1 }));

describe("the statistics of a backtest", () => {
  it.each([
    // Computed by hand from the formula with z = 1.96.
    [0, 10, 0, 0.2775],
    [1, 10, 0.0179, 0.4042],
    [5, 10, 0.2366, 0.7634],
    [10, 10, 0.7225, 1],
    [2, 100, 0.0055, 0.07],
  ])("computes Wilson's interval of %d among %d", (count, all, low, high) => {
    expect(wilson(count, all)[0]).toBeCloseTo(low, 3);
    expect(wilson(count, all)[1]).toBeCloseTo(high, 3);
  });

  it("gives the interval [0, 1] without observations", () => {
    expect(wilson(0, 0)).toEqual([0, 1]);
    expect([calibrationError([]), brierSkill([]), calibration([])]).toEqual([undefined, undefined, []]);
  });

  it("computes the calibration error as the mean distance over bins", () => {
    // Bin of .1: predicted .1, passed 1 of 4; bin of .8: predicted .85, passed 1 of 2. (4 × .15 + 2 × .35) / 6
    const all = [...predictions(0.1, 0, 0, 0, 1), ...predictions(0.85, 0, 1)];
    expect(calibrationError(all)).toBeCloseTo((4 * 0.15 + 2 * 0.35) / 6, 10);
    expect(calibrationError(predictions(0.5, 0, 1))).toBe(0);
    expect(calibrationError(predictions(1, 1, 1))).toBe(0);
  });

  it("computes the Brier skill against the base rate", () => {
    expect(brierSkill([...predictions(1, 1), ...predictions(0, 0)])).toBe(1);
    expect(brierSkill(predictions(0.5, 0, 1))).toBeCloseTo(0, 10);
    // Errors .04, .04, .04, .64 against a base rate of 1/4: 1 - .19 / .1875
    expect(brierSkill(predictions(0.2, 0, 0, 0, 1))).toBeCloseTo(1 - 0.19 / 0.1875, 10);
    expect(brierSkill(predictions(0.3, 0, 0))).toBeUndefined();
  });

  it("makes ten calibration bins of equal count", () => {
    const all = Array.from({ length: 100 }, (_, at) => ({ chance: at / 1000, passed: at % 2 === 0 }));
    const bins = calibration(all);
    expect(bins.map(({ count }) => count)).toEqual(Array(10).fill(10));
    expect(bins[0]).toMatchObject({ told: 0.0045, came: 0.5 });
  });

  it("shuffles all elements, the same way for the same seed", () => {
    const all = Array.from({ length: 50 }, (_, at) => at);
    expect(shuffled(all, 7)).toEqual(shuffled(all, 7));
    expect(shuffled(all, 7)).not.toEqual(shuffled(all, 8));
    expect(shuffled(all, 7).toSorted((a, b) => a - b)).toEqual(all);
  });
});
