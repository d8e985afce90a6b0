import { describe, expect, it } from "vitest";
import { manual } from "#strategies/manual";
import { type ExampleIteration, exampleRun } from "#testing/run";

const decide = (facts: readonly ExampleIteration[], baseline: ExampleIteration = {}) =>
  manual()(exampleRun(facts, { baseline }));

describe("manual", () => {
  it("waits for a person", async () => {
    expect(await decide([{}, {}])).toEqual({
      continue: false,
      wait: true,
      reason: "waiting for a person to decide about iteration 2",
      confidence: 1,
    });
  });

  it("asks again about each iteration", async () => {
    expect((await decide([{ direction: { choice: "continue" } }, {}])).wait).toBe(true);
  });

  it("stops without asking when the gates pass", async () => {
    const decision = await decide([{ status: "passed", direction: { choice: "continue" } }]);
    expect(decision).toEqual({
      continue: false,
      reason: "solved in iteration 1: all gates pass",
      confidence: 1,
    });
  });
});
