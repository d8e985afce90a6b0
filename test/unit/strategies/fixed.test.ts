import { describe, expect, it } from "vitest";
import { fixed } from "#strategies/fixed";
import { exampleRun } from "#testing/run";

describe("fixed", () => {
  it("continues until its iteration limit", async () => {
    const task = { limits: { iterations: 2, iterationMs: 1, agentFailures: 3 } };
    expect(await fixed()(exampleRun([{}], { task }))).toEqual({
      continue: true,
      reason: "on to iteration 2 of 2",
      confidence: 1,
    });
    expect(await fixed()(exampleRun([{}, {}], { task }))).toEqual({
      continue: false,
      reason: "all 2 iterations are used",
      confidence: 1,
    });
  });

  it("stops early when the gates pass, without accepting a partial result", async () => {
    expect(await fixed()(exampleRun([{ status: "passed" }]))).toEqual({
      continue: false,
      reason: "solved in iteration 1: all gates pass",
      confidence: 1,
    });
  });

  it("continues with green gates while a required change is missing", async () => {
    const green = { status: "passed", tree: "base" } as const;
    const task = { requireChange: true };
    expect((await fixed()(exampleRun([green], { task }))).continue).toBe(true);
    expect((await fixed()(exampleRun([{ ...green, tree: "new" }], { task }))).continue).toBe(false);
  });

  it("ignores repetition and claims", async () => {
    const run = exampleRun(Array(5).fill({ tree: "same", message: "DONE" }));
    expect((await fixed()(run)).continue).toBe(true);
  });
});
