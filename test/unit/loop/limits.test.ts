import { describe, expect, it } from "vitest";
import { limitReason, reachedLimit, timeIsUp } from "#loop/limits";
import { decisionFor } from "#loop/standing";
import type { EventBody } from "#spec/event";
import type { Strategy } from "#spec/strategy";
import { fixed } from "#strategies/fixed";
import { hybrid } from "#strategies/hybrid";
import { ralph } from "#strategies/ralph";
import { type ExampleIteration, type ExampleOptions, exampleRun } from "#testing/run";
import { resumeFlags } from "#views/resume-flags";
import { began, captured, ended, judged, resumed, runAfter, worked } from "../../support/run-so-far.ts";

const limits = (parts: object = {}) => ({ iterations: 20, iterationMs: 1, agentFailures: 3, ...parts });
const decided = (facts: readonly ExampleIteration[], strategy: Strategy, around: ExampleOptions = {}) =>
  decisionFor(exampleRun(facts, { ...around, task: { limits: limits(), ...around.task } }), strategy);
const goesOn: Strategy = () => ({ continue: true, reason: "mine", confidence: 0.5 });
const stops: Strategy = () => ({ continue: false, reason: "mine", confidence: 0.5 });
const crash: ExampleIteration = { ok: false };

describe("a limit", () => {
  const used = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });
  const spent = (costUsd: number) => ({ usage: { costUsd } });
  const crashed = { ok: false, failure: "crashed", reason: "exit code 1" } as const;
  const work = (number: number, result: Parameters<typeof worked>[1] = {}) => [
    began(number),
    worked(number, result),
  ];

  it.each<[string, readonly EventBody[], object, readonly [string, string] | undefined]>([
    ["is not reached by a new run", [], {}, undefined],
    ["of time is not reached before it has passed", [captured(0)], { timeMs: 60_001 }, undefined],
    [
      "of time is reached when it has passed",
      [captured(0)],
      { timeMs: 60_000 },
      ["time", "time limit: 1 min used up"],
    ],
    [
      "of time is shown in seconds when it is short",
      [captured(0)],
      { timeMs: 1_500 },
      ["time", "time limit: 1.5 s used up"],
    ],
    [
      "of time is shown in minutes with one decimal",
      [captured(0), judged(0, "failed")],
      { timeMs: 95_000 },
      ["time", "time limit: 1.6 min used up"],
    ],
    ["of iterations is not reached before the last one", work(1), { iterations: 2 }, undefined],
    [
      "of iterations is reached with the last one",
      [...work(1), ...work(2)],
      { iterations: 2 },
      ["iterations", "all 2 iterations are used"],
    ],
    ["of crashes is not reached by fewer", work(1, crashed), { agentFailures: 2 }, undefined],
    [
      "of crashes is reached by that many in a row",
      [...work(1, crashed), ...work(2, crashed)],
      { agentFailures: 2 },
      ["agentFailures", "the agent failed 2 times in a row: exit code 1"],
    ],
    [
      "of one crash has a reason without a number",
      work(1, { ok: false }),
      { agentFailures: 1 },
      ["agentFailures", "the agent failed: no reason given"],
    ],
    [
      "of crashes resets after an agent that finished",
      [...work(1, crashed), ...work(2), ...work(3, crashed)],
      { agentFailures: 2 },
      undefined,
    ],
    [
      "of crashes resets after a resume",
      [...work(1, crashed), ...work(2, crashed), ended("diverged"), resumed()],
      { agentFailures: 2 },
      undefined,
    ],
    ["of tokens is not reached below it", work(1, used(60, 39)), { tokens: 100 }, undefined],
    [
      "of tokens counts input and output",
      work(1, used(60, 40)),
      { tokens: 100 },
      ["tokens", "token limit: 100 of 100 used"],
    ],
    [
      "of tokens counts gates that use a model",
      [captured(0), judged(0, used(70, 0)), ...work(1, used(0, 31))],
      { tokens: 100 },
      ["tokens", "token limit: 101 of 100 used"],
    ],
    [
      "of tokens counts a carried verdict once",
      [captured(0), judged(0, used(70, 0)), ...work(1), judged(1, { ...used(70, 0), carriedFrom: 0 })],
      { tokens: 100 },
      undefined,
    ],
    [
      "of tokens counts agents that were delayed",
      [
        began(1),
        { type: "agent.delayed", iteration: 1, until: "", reason: "", usage: { outputTokens: 100 } },
      ],
      { tokens: 100 },
      ["tokens", "token limit: 100 of 100 used"],
    ],
    ["of cost is not reached below it", work(1, spent(1.99)), { cost: 2 }, undefined],
    [
      "of cost sums all iterations",
      [...work(1, spent(1.5)), ...work(2, spent(0.5))],
      { cost: 2 },
      ["cost", "cost limit: $2.00 of $2.00 used"],
    ],
    ["of cost is not reached by unknown costs", work(1, used(9, 9)), { cost: 0.01 }, undefined],
    [
      "of time comes before all others",
      work(1, crashed),
      { timeMs: 1, agentFailures: 1, iterations: 1 },
      ["time", "time limit: 0.001 s used up"],
    ],
    [
      "of crashes comes before that of iterations",
      work(1, crashed),
      { agentFailures: 1, iterations: 1 },
      ["agentFailures", "the agent failed: exit code 1"],
    ],
    [
      "of iterations comes before that of tokens",
      work(1, used(1, 1)),
      { iterations: 1, tokens: 1 },
      ["iterations", "the only iteration is used"],
    ],
    [
      "of tokens comes before that of cost",
      work(1, { usage: { inputTokens: 1, costUsd: 1 } }),
      { tokens: 1, cost: 1 },
      ["tokens", "token limit: 1 of 1 used"],
    ],
  ])("%s", (_, events, parts, expected) => {
    const run = runAfter(events, { limits: limits(parts) });
    const [limit, reason] = expected ?? [];
    expect(reachedLimit(run)).toEqual(expected && { limit, reason });
    expect(limitReason(run)).toBe(reason);
  });

  it("of time uses the given clock, not the run's last event", () => {
    const run = runAfter([], { limits: limits({ timeMs: 5_000 }) });
    expect([timeIsUp(run, 4_999), timeIsUp(run, 5_000)]).toEqual([false, true]);
    expect(timeIsUp(runAfter([], { limits: limits() }), Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

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

  it("stops with the limit as its reason instead of continuing", async () => {
    const task = { limits: limits({ iterations: 1 }) };
    expect(await decided([{}], goesOn, { task })).toMatchObject({
      continue: false,
      reason: "the only iteration is used",
    });
  });

  it("does not override success, acceptance and waiting for a person", async () => {
    const task = { limits: limits({ iterations: 1 }) };
    expect((await decided([{ status: "passed" }], goesOn, { task })).reason).toBe("all gates pass");
    const accepts: Strategy = () => ({ continue: false, accept: true, reason: "mine", confidence: 1 });
    const waits: Strategy = () => ({ continue: false, wait: true, reason: "mine", confidence: 1 });
    expect(await decided([{}], accepts, { task })).toMatchObject({ accept: true, reason: "mine" });
    expect(await decided([{}], waits, { task })).toMatchObject({ wait: true, reason: "mine" });
  });

  it("resets the count of consecutive failures after a resume", async () => {
    const decision = await decided([crash, crash, crash, crash], goesOn, { reopenedAt: 3 });
    expect(decision.continue).toBe(true);
  });
});

describe("the options that let a run continue", () => {
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
