import { describe, expect, it } from "vitest";
import { progressOf } from "#loop/progress";
import type { Verdict } from "#spec/verdict";
import { type ExampleIteration, exampleGate, exampleRun, exampleVerdict } from "#testing/run";

const suite = (failed: number, total = 1610): Partial<Verdict> => ({
  status: failed === 0 ? "passed" : "failed",
  score: (total - failed) / total,
  tests: { total, passed: total - failed, failed, skipped: 0 },
  failures: failed === 0 ? [] : [{ id: "a test", message: "no" }],
});
const judged = (parts: Partial<Verdict>, more: Readonly<Record<string, Partial<Verdict>>> = {}) => {
  const all = Object.entries({ tests: parts, ...more });
  const verdicts = all.map(([gate, each]) => ({ gate, verdict: exampleVerdict(each) }));
  const score = verdicts.reduce((sum, { verdict }) => sum + verdict.score, 0) / verdicts.length;
  return { verdicts, score } satisfies ExampleIteration;
};
const progressAfter = (...iterations: readonly ExampleIteration[]) => {
  const [baseline = {}, ...rest] = iterations;
  return progressOf(
    exampleRun(rest, { baseline, task: { gates: [exampleGate("tests"), exampleGate("lint")] } }),
  );
};

describe("the trend", () => {
  it("follows the failing counts, however many tests there are", () => {
    expect(progressAfter(judged(suite(10)), judged(suite(9)))).toMatchObject({
      trend: "improving",
      failing: { before: 10, now: 9 },
      byGate: [{ trend: "improving" }, {}],
    });
    expect(progressAfter(judged(suite(9)), judged(suite(10)))).toMatchObject({ trend: "regressing" });
    expect(progressAfter(judged(suite(9)), judged(suite(9)))).toMatchObject({ trend: "stagnant" });
    expect(progressAfter(judged(suite(1)), judged(suite(0)))).toMatchObject({
      failing: { before: 1, now: 0 },
    });
  });

  it("follows the score where a gate does not count", () => {
    const exit = (status: "passed" | "failed", score: number) => judged({ status, score });
    expect(progressAfter(exit("failed", 0), exit("passed", 1))).toMatchObject({ trend: "improving" });
    const build = judged({ score: 0, failures: [{ message: "does not compile" }] });
    const broken = progressAfter(judged(suite(4)), build);
    expect(broken.trend).toBe("regressing");
    expect(broken.failing).toBeUndefined();
  });

  it("does not take tests that no longer run for fixed ones", () => {
    const { trend, failing } = progressAfter(judged(suite(4, 100)), judged(suite(1, 2)));
    expect(trend).toBe("regressing");
    expect(failing).toEqual({ now: 1 });
  });

  it("counts one gate while another that does not count stays as it is", () => {
    const lint = { status: "failed" as const, score: 0 };
    expect(progressAfter(judged(suite(4), { lint }), judged(suite(3), { lint })).failing).toEqual({
      before: 4,
      now: 3,
    });
    const mended = { status: "passed" as const, score: 1 };
    expect(progressAfter(judged(suite(4), { lint }), judged(suite(3), { lint: mended })).failing).toEqual({
      now: 3,
    });
  });
});
