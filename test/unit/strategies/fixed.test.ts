import { describe, expect, it } from "vitest";
import { fixed } from "#strategies/fixed";
import { exampleRun } from "#testing/run";

describe("fixed", () => {
  it("goes on until its iterations are used up", async () => {
    expect(await fixed({ iterations: 2 })(exampleRun([{}]))).toEqual({
      continue: true,
      reason: "on to iteration 2 of 2",
      confidence: 1,
    });
    expect(await fixed({ iterations: 2 })(exampleRun([{}, {}]))).toEqual({
      continue: false,
      reason: "iteration 2 of 2 was the last, and the task is not complete",
      confidence: 1,
    });
  });

  it("takes three iterations unless told", async () => {
    expect((await fixed()(exampleRun([{}, {}]))).continue).toBe(true);
    expect((await fixed()(exampleRun([{}, {}, {}]))).continue).toBe(false);
  });

  it("stops early when the gates hold, and does not call it partial", async () => {
    expect(await fixed()(exampleRun([{ status: "passed" }]))).toEqual({
      continue: false,
      reason: "all wanted gates hold after iteration 1",
      confidence: 1,
    });
  });

  it("goes on over green gates while a required change is missing", async () => {
    const green = { status: "passed", tree: "base" } as const;
    const task = { requireChange: true };
    expect((await fixed()(exampleRun([green], { task }))).continue).toBe(true);
    expect((await fixed()(exampleRun([{ ...green, tree: "new" }], { task }))).continue).toBe(false);
  });

  it("is not impressed by repetition or claims", async () => {
    const run = exampleRun(Array(5).fill({ tree: "same", message: "DONE" }));
    expect((await fixed({ iterations: 6 })(run)).continue).toBe(true);
  });
});
