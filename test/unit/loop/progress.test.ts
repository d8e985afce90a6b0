import { describe, expect, it } from "vitest";
import { progressOf } from "#loop/progress";
import type { EventBody } from "#spec/event";
import type { Phase } from "#spec/progress";
import type { Task } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { type ExampleIteration, exampleGate, exampleRun, exampleVerdict } from "#testing/run";
import {
  began,
  captured,
  decided,
  ended,
  judged as gateJudged,
  runAfter,
  worked,
} from "../../support/run-so-far.ts";

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
  it("follows the count of failing tests, even in a large suite", () => {
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

  it("follows the score when a gate does not count tests", () => {
    const exit = (status: "passed" | "failed", score: number) => judged({ status, score });
    expect(progressAfter(exit("failed", 0), exit("passed", 1))).toMatchObject({ trend: "improving" });
    const build = judged({ score: 0, failures: [{ message: "does not compile" }] });
    const broken = progressAfter(judged(suite(4)), build);
    expect(broken.trend).toBe("regressing");
    expect(broken.failing).toBeUndefined();
  });

  it("does not treat tests that no longer run as fixed", () => {
    const { trend, failing } = progressAfter(judged(suite(4, 100)), judged(suite(1, 2)));
    expect(trend).toBe("regressing");
    expect(failing).toEqual({ now: 1 });
  });

  it("compares the counts of one gate only while the uncounted gate is unchanged", () => {
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

describe("the trend of a score", () => {
  const scored = (...scores: readonly number[]) =>
    progressAfter(...scores.map((score) => ({ verdicts: [], score })));

  it.each<[string, readonly number[], string]>([
    ["is stagnant without any score", [], "stagnant"],
    ["is stagnant after one score", [0.5], "stagnant"],
    ["improves when the score rises notably", [0.5, 0.56], "improving"],
    ["is stagnant when the score hardly rises", [0.5, 0.54], "stagnant"],
    ["is stagnant when the score hardly falls", [0.5, 0.46], "stagnant"],
    ["regresses when the score falls notably", [0.5, 0.44], "regressing"],
    ["compares only the last two scores", [0.1, 0.9, 0.5], "regressing"],
  ])("%s", (_, scores, trend) => {
    expect(scored(...scores).trend).toBe(trend);
  });

  it.each<[string, readonly number[], number, number | undefined]>([
    ["has velocity zero after one score", [0.5], 0, undefined],
    ["has the change per iteration as velocity", [0, 0.25], 0.25, 3],
    ["has the mean of the last three changes as velocity", [0, 0, 0.1, 0.4, 0.75], 0.25, 1],
    ["ignores older changes", [0.9, 0, 0.25, 0.5, 0.75], 0.25, 1],
    ["rounds the remaining iterations up", [0, 0.375], 0.375, 2],
    ["does not add an iteration for a rounding error", [0.4, 0.6], 0.2, 2],
    ["predicts no end while nothing improves", [0.5, 0.5], 0, undefined],
    ["predicts no end while it gets worse", [0.5, 0.25], -0.25, undefined],
    ["predicts zero remaining iterations when everything passes", [0.5, 1], 0.5, 0],
  ])("%s", (_, scores, velocity, remaining) => {
    const found = scored(...scores);
    expect(found.velocity).toBeCloseTo(velocity, 10);
    expect(found.remaining).toBe(remaining);
  });
});

describe("the numbers of a run", () => {
  it("count iterations, time and gates, and name the best iteration", () => {
    const good = judged({ status: "passed" }, { lint: { status: "failed", score: 0.5 } });
    const run = exampleRun([good, judged({ score: 0.25 }, { lint: { score: 0 } })], {
      baseline: judged({ score: 0 }, { lint: { score: 0 } }),
      task: {
        gates: [exampleGate("tests"), exampleGate("lint")],
        limits: { iterations: 7, iterationMs: 1, agentFailures: 3, timeMs: 900_000 },
      },
    });
    expect(progressOf(run)).toMatchObject({
      iteration: 2,
      maxIterations: 7,
      elapsedMs: 180_000,
      maxMs: 900_000,
      overall: 0.125,
      gatesPassed: 0,
      gatesTotal: 2,
      scores: [0, 0.75, 0.125],
      best: { iteration: 1, score: 0.75 },
    });
  });

  it("omit unknown time limit, tokens, costs, best iteration and remaining iterations", () => {
    const found = progressOf(exampleRun([], { baseline: { verdicts: [], score: null } }));
    for (const key of ["maxMs", "tokens", "costUsd", "best", "remaining", "failing"])
      expect(found).not.toHaveProperty(key);
    expect(found).toMatchObject({ overall: 0, scores: [], velocity: 0, gatesPassed: 0, gatesTotal: 1 });
  });

  it("sum up tokens and costs of agents and gates", () => {
    const usage = { inputTokens: 5, outputTokens: 1, costUsd: 0.25 };
    const events = [
      captured(0),
      gateJudged(0, { usage }),
      began(1),
      worked(1, { usage: { inputTokens: 4 } }),
    ];
    expect(progressOf(runAfter(events))).toMatchObject({ tokens: 10, costUsd: 0.25 });
  });

  it("have tokens without costs when the price is unknown", () => {
    const found = progressOf(runAfter([began(1), worked(1, { usage: { inputTokens: 4 } })]));
    expect(found.tokens).toBe(4);
    expect(found).not.toHaveProperty("costUsd");
  });
});

describe("the progress of a gate", () => {
  const gateAfter = (...verdicts: readonly Partial<Verdict>[]) =>
    progressAfter(...verdicts.map((parts) => judged(parts))).byGate[0];

  it.each<[string, readonly Partial<Verdict>[], object]>([
    [
      "has the newest verdict",
      [{ score: 0.2 }, { score: 0.6, summary: "2 tests failed" }],
      { status: "failed", score: 0.6, summary: "2 tests failed", scores: [0.2, 0.6], trend: "improving" },
    ],
    ["has the counts of the newest verdict", [suite(2)], { tests: { failed: 2 } }],
    [
      "omits skipped and waiting verdicts from the scores",
      [{ score: 0.5 }, { status: "skipped" }, { status: "waiting" }],
      { status: "waiting", scores: [0.5], trend: "stagnant" },
    ],
    [
      "keeps errors in the scores",
      [{ score: 0.5 }, { status: "errored" }],
      { scores: [0.5, 0], trend: "regressing" },
    ],
  ])("%s", (_, verdicts, expected) => {
    expect(gateAfter(...verdicts)).toMatchObject(expected);
  });

  it("has no status before the first verdict", () => {
    const [, lint] = progressAfter(judged({})).byGate;
    expect(lint).toEqual({ gate: "lint", score: 0, summary: "", trend: "stagnant", scores: [] });
  });
});

describe("the phase", () => {
  const base = [captured(0), gateJudged(0, "failed")];
  const delayed: EventBody = {
    type: "agent.delayed",
    iteration: 1,
    until: "2026-01-01T09:00:00.000Z",
    reason: "rate limit",
  };
  const away: EventBody = { type: "agent.away", iteration: 1, reason: "elsewhere" };
  const parked: EventBody = { type: "run.parked", reason: "review", gates: [] };

  it.each<[string, readonly EventBody[], Partial<Phase>, Partial<Task>?]>([
    ["is the snapshot before the baseline is captured", [], { name: "snapshot" }],
    ["is the gate that judges the baseline", [captured(0)], { name: "gate", gate: "tests" }],
    ["is the decision to start when the baseline is judged", base, { name: "decision" }],
    [
      "is the decision when the baseline is not judged",
      [captured(0)],
      { name: "decision" },
      { baseline: false },
    ],
    ["is the agent while it works", [...base, began(1)], { name: "agent" }],
    [
      "is delayed with its end while the agent waits for a rate limit",
      [...base, began(1), delayed],
      { name: "delayed", since: "2026-01-01T09:00:00.000Z" },
    ],
    ["is the snapshot after the agent", [...base, began(1), worked(1)], { name: "snapshot" }],
    [
      "is the gate after the snapshot",
      [...base, began(1), worked(1), captured(1)],
      { name: "gate", gate: "tests" },
    ],
    [
      "is the decision after the last verdict",
      [...base, began(1), worked(1), captured(1), gateJudged(1, "failed")],
      { name: "decision" },
    ],
    [
      "is still the decision once it is made",
      [...base, began(1), worked(1), captured(1), decided(1)],
      { name: "decision" },
    ],
    ["is away while the agent works elsewhere", [...base, began(1), away], { name: "away" }],
    ["is waiting while the run is parked", [...base, parked], { name: "waiting" }],
    ["is paused while the run is paused", [...base, { type: "run.paused" }], { name: "paused" }],
    ["is ended after the end", [...base, ended("stopped")], { name: "ended" }],
  ])("%s", (_, events, expected, task) => {
    const run = runAfter(events, task);
    expect(progressOf(run).phase).toEqual({ since: run.updatedAt, ...expected });
  });
});
