import { describe, expect, it } from "vitest";
import { decisionFor } from "#loop/standing";
import type { Strategy } from "#spec/strategy";
import { fixed } from "#strategies/fixed";
import { hybrid } from "#strategies/hybrid";
import { ralph } from "#strategies/ralph";
import { type ExampleIteration, type ExampleOptions, exampleRun } from "#testing/run";
import { resumeFlags } from "#views/resume-flags";

const limits = (parts: object = {}) => ({ iterations: 20, iterationMs: 1, agentFailures: 3, ...parts });
const decided = (facts: readonly ExampleIteration[], strategy: Strategy, around: ExampleOptions = {}) =>
  decisionFor(exampleRun(facts, { ...around, task: { limits: limits(), ...around.task } }), strategy);
const goesOn: Strategy = () => ({ continue: true, reason: "mine", confidence: 0.5 });
const stops: Strategy = () => ({ continue: false, reason: "mine", confidence: 0.5 });
const crash: ExampleIteration = { ok: false };

describe("a decision within limits", () => {
  it.each([
    ["fixed", fixed()],
    ["hybrid", hybrid()],
    ["hybrid with numbers", hybrid({ baseIterations: 3 })],
    ["ralph", ralph()],
    ["any strategy that goes on", goesOn],
    ["any strategy that stops", stops],
  ])("names the crashes as the reason under %s", async (_, strategy) => {
    const decision = await decided([crash, crash, crash], strategy);
    expect(decision).toMatchObject({
      continue: false,
      reason: expect.stringMatching(/^the agent failed 3 times in a row: /),
    });
  });

  it("names the crashes before the iterations that they used", async () => {
    const task = { limits: limits({ iterations: 3 }) };
    expect((await decided([crash, crash, crash], goesOn, { task })).reason).toContain(
      "the agent failed 3 times",
    );
  });

  it("stops with the limit as its reason instead of going on into it", async () => {
    const task = { limits: limits({ iterations: 1 }) };
    expect(await decided([{}], goesOn, { task })).toMatchObject({
      continue: false,
      reason: "the only iteration is used",
    });
  });

  it("leaves success, acceptance and questions to people alone", async () => {
    const task = { limits: limits({ iterations: 1 }) };
    expect((await decided([{ status: "passed" }], goesOn, { task })).reason).toBe("all gates pass");
    const accepts: Strategy = () => ({ continue: false, accept: true, reason: "mine", confidence: 1 });
    const waits: Strategy = () => ({ continue: false, wait: true, reason: "mine", confidence: 1 });
    expect(await decided([{}], accepts, { task })).toMatchObject({ accept: true, reason: "mine" });
    expect(await decided([{}], waits, { task })).toMatchObject({ wait: true, reason: "mine" });
  });

  it("counts failures in a row anew after a resume", async () => {
    const decision = await decided([crash, crash, crash, crash], goesOn, { reopenedAt: 3 });
    expect(decision.continue).toBe(true);
  });
});

describe("the options that let a run go on", () => {
  const flagsOf = (facts: ExampleIteration[], parts: object) =>
    resumeFlags(exampleRun(facts, { task: { limits: limits(parts) } }));

  it.each<[string, ExampleIteration[], object, string | undefined]>([
    ["none while no limit is reached", [{}], {}, ""],
    ["more iterations", Array(20).fill({}), {}, "--max-iterations 40"],
    ["more than one iteration", [{}], { iterations: 1 }, "--max-iterations 6"],
    ["more time", [{}], { timeMs: 60_000 }, "--max-time 1h"],
    ["more money", [{ costUsd: 5 }], { cost: 5 }, "--max-cost 10"],
    ["none for crashes", Array(3).fill(crash), {}, ""],
    [
      "more iterations for crashes in the last ones",
      Array(3).fill(crash),
      { iterations: 3 },
      "--max-iterations 8",
    ],
  ])("are %s", (_, facts, parts, flags) => {
    expect(flagsOf(facts, parts)).toBe(flags);
  });
});
