import { describe, expect, it } from "vitest";
import { type RalphOptions, ralph } from "#strategies/ralph";
import { type ExampleIteration, type ExampleOptions, exampleRun } from "#testing/run";

const decide = (facts: readonly ExampleIteration[], options?: RalphOptions, around?: ExampleOptions) =>
  ralph(options)(exampleRun(facts, around));
const claim: ExampleIteration = { message: "<promise>COMPLETE</promise>" };
const none = { task: { gates: [] } };
const limitOf = (iterations: number) => ({ iterations, iterationMs: 1, agentFailures: 3 });

describe("ralph without gates", () => {
  it("accepts the agent's completion signal", async () => {
    expect(await decide([claim], {}, none)).toEqual({
      continue: false,
      accept: true,
      reason: 'the agent said "<promise>COMPLETE</promise>" and no gate is configured',
      confidence: 0.95,
    });
  });

  it("does not accept a claim before minIterations", async () => {
    expect(await decide([claim], { minIterations: 2 }, none)).toEqual({
      continue: true,
      reason: "on to iteration 2 of 10, at least 2 are required (minIterations)",
      confidence: 1,
    });
    expect((await decide([claim, claim], { minIterations: 2 }, none)).accept).toBe(true);
  });

  it("continues without a claim, and after one that came too early", async () => {
    expect((await decide([{ message: "Half of it." }], {}, none)).continue).toBe(true);
    expect((await decide([claim, { message: "Oh." }], { minIterations: 2 }, none)).continue).toBe(true);
  });

  it("accepts a claim in the last iteration", async () => {
    const task = { ...none.task, limits: limitOf(2) };
    expect((await decide([{}, claim], {}, { task })).accept).toBe(true);
  });

  it("ignores the claim of a failed agent", async () => {
    expect((await decide([{ ...claim, ok: false }], {}, none)).continue).toBe(true);
  });

  it("requires its own promise, or else the task's", async () => {
    const task = { gates: [], promise: "COMPLETE" };
    expect((await decide([claim], { promise: "ALL FIXED" }, { task })).continue).toBe(true);
    expect((await decide([claim], {}, { task })).accept).toBe(true);
    expect((await decide([claim], {}, { task: { ...task, promise: "OTHER" } })).continue).toBe(true);
  });

  it("accepts only the configured signals", async () => {
    expect((await decide([{ message: "READY" }], { signals: ["READY"] }, none)).accept).toBe(true);
    expect((await decide([claim], { signals: ["READY"] }, none)).continue).toBe(true);
  });
});

describe("ralph with gates", () => {
  it("stops when they pass, with or without a claim, even before minIterations", async () => {
    const stopped = { continue: false, reason: "solved in iteration 1: all gates pass", confidence: 1 };
    expect(await decide([{ status: "passed", ...claim }])).toEqual(stopped);
    expect(await decide([{ status: "passed" }], { minIterations: 5 })).toEqual(stopped);
  });

  it("counts a false claim and continues", async () => {
    const decision = await decide([claim, { message: "Working." }, claim]);
    expect(decision).toMatchObject({ continue: true, metadata: { falseClaims: 2 } });
    expect(await decide([claim, { message: "Working." }])).toEqual({
      continue: true,
      reason: "on to iteration 3 of 10",
      confidence: 0.6,
      metadata: { falseClaims: 1 },
    });
  });

  it("does not count a claim that was true when it was made", async () => {
    const decision = await decide([{ ...claim, status: "passed" }, { message: "Working." }]);
    expect(decision.continue).toBe(true);
    expect(decision.metadata).toBeUndefined();
  });

  it("accepts the claim against red gates with trustSignal", async () => {
    const decision = await decide([claim], { trustSignal: true });
    expect(decision).toMatchObject({ continue: false, accept: true });
    expect(decision.reason).toContain("trusted against the gates; red: tests (failed)");
    expect((await decide([{ message: "Working." }], { trustSignal: true })).continue).toBe(true);
  });
});

describe("ralph without success", () => {
  it("ends at its limit, even with a false claim", async () => {
    const decision = await decide([{}, claim], {}, { task: { limits: limitOf(2) } });
    expect(decision).toMatchObject({ continue: false, confidence: 1, metadata: { falseClaims: 1 } });
    expect(decision.reason).toContain("all 2 iterations are used");
    expect(decision.accept).toBeUndefined();
    expect(decision.feedback).toBeUndefined();
  });

  it("steers once when the agent repeats itself, then ends the run as stuck", async () => {
    const same = { message: "I looked around." };
    const steered = await decide([same, same, same]);
    expect(steered).toMatchObject({
      continue: true,
      reason:
        "up to iteration 3 the agent said the same 3 times: the agent is told once to change its approach",
      feedback: expect.stringContaining("take a different approach"),
    });
    const warned = { ...same, decision: steered };
    expect(await decide([same, same, warned, same])).toMatchObject({
      continue: false,
      reason:
        "stuck: up to iteration 4 the agent said the same 3 times, even after the agent was told to change its approach",
    });
    expect((await decide([same, same, warned, { message: "Another way." }])).continue).toBe(true);
    expect((await decide([same, same])).feedback).toBeUndefined();
    expect((await decide([same, same], { windowSize: 2 })).feedback).toBeDefined();
    expect((await decide([same, same, same], { minIterations: 4 })).feedback).toBeUndefined();
  });

  it("steers once, even an agent that claims completion each time", async () => {
    const steered = await decide([claim, claim, claim]);
    expect(steered.feedback).toMatch(/^You go in circles/);
    expect(steered.metadata).toEqual({ chance: "steered", falseClaims: 3 });
    expect(await decide([claim, claim, { ...claim, decision: steered }, claim])).toMatchObject({
      continue: false,
      reason: expect.stringContaining("stuck"),
    });
  });

  it("ignores repeated messages of crashed agents", async () => {
    expect((await decide(Array(3).fill({ message: "Segfault.", ok: false }))).feedback).toBeUndefined();
  });

  it("compares messages with the configured similarity threshold", async () => {
    const facts = ["a b c d", "a b c e", "a b c d"].map((message) => ({ message }));
    expect((await decide(facts)).feedback).toBeUndefined();
    expect((await decide(facts, { convergenceThreshold: 0.4 })).feedback).toBeDefined();
  });

  it("steers when files and failures repeat, whatever the agent says", async () => {
    const round = ["a", "b", "a", "c", "a"].map((tree, at) => ({ tree, message: `look ${at} at it` }));
    expect(await decide(round)).toMatchObject({ feedback: expect.stringContaining("iterations 1, 3 and 5") });
  });

  it("ignores empty messages", async () => {
    expect((await decide([{}, {}, {}, {}])).continue).toBe(true);
  });
});
