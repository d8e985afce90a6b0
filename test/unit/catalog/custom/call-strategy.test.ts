// Older strategy shapes get the arguments they expect, in the order they expect.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCaller } from "#catalog/custom/call-strategy";
import { loadExport } from "#catalog/custom/load-module";
import { aRun } from "./a-run.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "call-strategy-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function callerOf(name: string, exportName: string, config: unknown = {}) {
  const source = {
    module: join(import.meta.dirname, "../../../fixtures/strategies", name),
    exportName,
    config,
  };
  return createCaller(await loadExport(source), source);
}

const outputsOf = (answer: unknown) => (answer as { metadata: { outputs: string[] } }).metadata.outputs;

test("passes the whole event to onIterationComplete, counted from 0", async () => {
  const caller = await callerOf("one-callback.mjs", "strategy");
  const answer = (await caller.decide(aRun(2))) as { continue: boolean; metadata: unknown };
  expect(answer.continue).toBe(true);
  expect(answer.metadata).toMatchObject({
    iteration: 1,
    totalIterations: 2,
    elapsedMs: 2_000,
    agentResult: { success: true, exitCode: 0, output: "output 2", tokensUsed: { total: 110 } },
    agentSuccess: true,
    verificationReport: {
      passed: false,
      overall: { passed: false },
      levels: {
        tests: { passed: false, checks: [{ name: "adds", passed: false, output: "expected 2, got 3" }] },
      },
    },
    verificationPassed: false,
    previousIterations: [
      { iteration: 0, agentSuccess: true, verificationPassed: false, durationMs: 1_000, tokensUsed: 110 },
    ],
    maxIterations: 10,
    maxTimeMs: 600_000,
    runId: "run-1",
    workOrderId: "run-1",
  });
  expect(await caller.decide(aRun(3, { greenFrom: 3 }))).toMatchObject({ continue: false });
});

test("passes the state to shouldContinue, counted from 1", async () => {
  const caller = await callerOf("convergence-state.mjs", "Similarity", { window: 3 });
  const { metadata } = (await caller.decide(aRun(2))) as { metadata: { state: unknown } };
  expect(metadata.state).toMatchObject({
    iteration: 2,
    elapsed: 2_000,
    gateResults: [
      {
        name: "tests",
        passed: false,
        status: "failed",
        score: 0.5,
        failures: [{ id: "adds", message: "expected 2, got 3" }],
      },
    ],
    history: [
      { iteration: 1, timestamp: new Date(1_000), snapshotHash: "tree-1", decision: { continue: true } },
    ],
    snapshot: { tree: "tree-2" },
    agentOutput: "output 2",
  });
});

describe("a strategy that keeps state", () => {
  const messages = ["a", "same", "same", "same"];

  test("sees every iteration once while the run continues", async () => {
    const caller = await callerOf("convergence-state.mjs", "Similarity", { window: 3 });
    for (const count of [1, 2, 3]) {
      expect(await caller.decide(aRun(count, { messages }))).toMatchObject({ continue: true });
    }
    expect(await caller.decide(aRun(4, { messages }))).toMatchObject({
      continue: false,
      reason: "similarity loop",
    });
  });

  test("makes the same decision after a resume by replaying earlier iterations", async () => {
    const caller = await callerOf("convergence-state.mjs", "Similarity", { window: 3 });
    const answer = await caller.decide(aRun(4, { messages }));
    expect(answer).toMatchObject({ continue: false, reason: "similarity loop" });
    expect(outputsOf(answer)).toEqual(messages);
  });

  test.each(["Similarity", "object"])(
    "restarts from the first iteration for a repeated call or another run (%s)",
    async (exported) => {
      const caller = await callerOf("convergence-state.mjs", exported, { window: 3 });
      await caller.decide(aRun(2, { messages }));
      expect(outputsOf(await caller.decide(aRun(2, { messages })))).toEqual(["a", "same"]);
      const other = aRun(3, { id: "run-2", messages: ["x", "y", "z"] });
      expect(outputsOf(await caller.decide(other))).toEqual(["x", "y", "z"]);
    },
  );

  test("sees the elapsed time of each earlier iteration", async () => {
    const elapsed: number[] = [];
    const source = { module: "/none.mjs", exportName: "default", config: undefined };
    const strategy = { onIterationComplete: (event: { elapsedMs: number }) => elapsed.push(event.elapsedMs) };
    await (await createCaller(strategy, source)).decide(aRun(3));
    expect(elapsed).toEqual([1_000, 2_000, 3_000]);
  });
});

test("calls the nine methods in order", async () => {
  const file = join(folder, "nine.txt");
  const caller = await callerOf("nine-methods.mjs", "default", { file });
  expect(await caller.decide(aRun(1))).toMatchObject({ shouldContinue: true, action: "continue" });
  expect(await caller.decide(aRun(2))).toMatchObject({ shouldContinue: false, action: "complete" });
  await caller.end();
  expect((await readFile(file, "utf8")).split("\n")).toEqual([
    "initialize",
    "onLoopStart 1",
    "onIterationStart 1",
    "shouldContinue 1",
    "onIterationEnd 1 continue",
    "onIterationStart 2",
    "shouldContinue 2",
    "onIterationEnd 2 complete",
    "onLoopEnd 2 complete",
  ]);
});

test("passes the iteration number first to the five callbacks, counted from 0", async () => {
  const file = join(folder, "five.txt");
  const caller = await callerOf("five-callbacks.mjs", "default", { file });
  expect(await caller.decide(aRun(1))).toBe(true);
  expect(await caller.decide(aRun(2, { greenFrom: 2 }))).toBe(false);
  await caller.end();
  expect((await readFile(file, "utf8")).trim().split("\n")).toEqual([
    "start 0 run-1",
    "agent 0 true",
    "verified 0 false",
    "start 1 run-1",
    "agent 1 true",
    "verified 1 true",
    "complete success",
  ]);
});

describe("onLoopEnd receives the final result", () => {
  const source = { module: "/none.mjs", exportName: "default", config: undefined };
  const limited = aRun(10);
  test.each([
    ["success", aRun(2, { greenFrom: 2 }), true],
    ["strategy_stop", aRun(2), false],
    ["max_iterations", limited, true],
    ["timeout", { ...aRun(2), elapsedMs: 600_000 }, true],
    ["error", aRun(2), true],
  ])("%s", async (finalResult, run, goesOn) => {
    const ends: unknown[] = [];
    const strategy = {
      onIterationComplete: () => ({ continue: goesOn }),
      onLoopEnd: (event: unknown) => ends.push(event),
    };
    const caller = await createCaller(strategy, source);
    await caller.decide(run);
    await caller.end();
    const { elapsedMs, iterations } = run;
    expect(ends).toEqual([{ runId: "run-1", totalIterations: iterations.length, finalResult, elapsedMs }]);
  });

  test("is not called when the loop never started", async () => {
    const ends: unknown[] = [];
    const strategy = { decide: () => true, onLoopEnd: (event: unknown) => ends.push(event) };
    await (await createCaller(strategy, source)).end();
    expect(ends).toEqual([]);
  });
});
