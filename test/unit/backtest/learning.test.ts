import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backtest } from "#backtest/backtest";
import { readLog } from "#backtest/log";
import { builtIns } from "#catalog/built-ins";
import { LESSON_VERSION, type Lesson } from "#spec/lesson";
import { PRIOR } from "#strategies/adaptive/features";
import { beliefIn, beliefWith } from "#strategies/adaptive/hazard";
import { Lessons, weightsFor } from "#strategies/adaptive/learned";

const features = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 16, maxLength: 16 });

describe("incremental learning", () => {
  it("gives the same weights as learning everything at once", () => {
    const lesson = fc.record({
      workspace: fc.constantFrom("a", "b", "c"),
      transitions: fc.array(fc.record({ features, passed: fc.boolean() }), { minLength: 1, maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(lesson, { minLength: 1, maxLength: 60 }), (all) => {
        const lessons = new Lessons();
        const earlier: Lesson[] = [];
        for (const [at, { workspace, transitions }] of all.entries()) {
          const place = { workspace, agent: "x" };
          expect(lessons.weightsFor(place)).toEqual(weightsFor(earlier, place));
          lessons.tell(place, transitions);
          earlier.push({ run: `${at}`, v: LESSON_VERSION, ...place, at: "", transitions });
        }
      }),
      { numRuns: 20 },
    );
  });

  it("predicts the same with replaced features as with all features computed again", () => {
    fc.assert(
      fc.property(features, fc.double({ min: -3, max: 3, noNaN: true }), (some, value) => {
        const other = some.map((own, at) => (at === 1 || at === 2 ? value : own));
        const [there, here] = [beliefWith(PRIOR, some, [1, 2])([value, value]), beliefIn(PRIOR, other)];
        expect(there.middle).toBeCloseTo(here.middle, 9);
        expect(there.deviation).toBeCloseTo(here.deviation, 9);
      }),
    );
  });
});

describe("a backtest", () => {
  const log = (at: number, group: string, scores: readonly number[]) =>
    JSON.stringify({
      id: `${group}-${at}`,
      group,
      source: "s",
      budget: scores.length,
      iters: scores.map((score) => ({ score, act_hash: "same" })),
      success: scores.at(-1) === 1,
      end: scores.at(-1) === 1 ? "success" : "budget",
    });
  const sequences = Array.from({ length: 60 }, (_, at) =>
    readLog(at % 3 === 0 ? log(at, "good", [0, 1]) : log(at, "bad", Array(10).fill(0))),
  ).filter((one) => one !== undefined);
  const options = {
    registry: builtIns().strategies,
    dir: ".",
    orders: 0,
    seed: 1,
    curve: false,
  };

  it("lets adaptive learn in one project that loops never pass, and keeps solved runs", async () => {
    const { scores } = await backtest(sequences, {
      ...options,
      strategies: ["adaptive", 'fixed:{"iterations":1}', 'adaptive:{"value":1000000}'],
    });
    const [learned, first, stubborn] = scores;
    expect(learned).toMatchObject({ runs: 60, solved: 20, kept: 1, falseStops: 0 });
    expect(learned?.saved).toBeGreaterThan(0.3);
    expect(learned?.calibrationError).toBeLessThan(0.2);
    expect(first).toMatchObject({ kept: 0, falseStops: 20, falseStopRate: 1 });
    expect(first?.saved).toBeCloseTo(1 - 60 / (20 * 2 + 40 * 10), 10);
    // The strategy reports a loop once and then ends it, whatever a solution is worth.
    expect(stubborn?.kept).toBe(1);
    expect(stubborn?.saved).toBeCloseTo((40 * 6) / (20 * 2 + 40 * 10), 10);
  });

  it("depends on the seed, not on earlier shuffles", async () => {
    const run = (seed: number) =>
      backtest(sequences, { ...options, strategies: ["adaptive"], orders: 2, seed });
    expect(await run(3)).toEqual(await run(3));
    expect((await run(3)).scores).not.toEqual((await run(9)).scores);
  });

  it("rejects an empty set of runs", async () => {
    await expect(backtest([], { ...options, strategies: ["adaptive"] })).rejects.toThrow(/none was found/);
  });
});
