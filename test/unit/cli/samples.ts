// Sample runs, with defaults for the fields that a test does not set.
import { defaultTask } from "#rules/default-task";
import type { AgentResult } from "#spec/agent";
import type { EventBody, RunEvent } from "#spec/event";
import type { GateProgress, Progress } from "#spec/progress";
import type { Iteration, Run } from "#spec/run";
import { GATE_POLICY_DEFAULTS, type GateSpec, TASK_DEFAULTS, type Task } from "#spec/task";
import type { Verdict } from "#spec/verdict";

// Local time without a zone, so that the expected clock is the same everywhere.
export const TIME = "2030-01-02T14:03:00";
export const NOW = Date.parse(TIME);

function gateSpec(name: string): GateSpec {
  return {
    name,
    use: { type: "command", command: `npm run ${name}` },
    policy: GATE_POLICY_DEFAULTS,
  };
}

export function task(part: Partial<Task> = {}): Task {
  return defaultTask({
    prompt: "Make the tests pass without changing them.\nBe brief.",
    agents: [{ type: "command", command: "./agent.sh" }],
    gates: [gateSpec("tests"), gateSpec("lint")],
    workspace: { dir: "/project" },
    limits: { ...TASK_DEFAULTS.limits, iterationMs: 1_800_000 },
    ...part,
  });
}

export function iteration(number: number, part: Partial<Iteration> = {}): Iteration {
  return {
    number,
    startedAt: TIME,
    startedMs: 0,
    prompt: "",
    delays: 0,
    spent: [],
    verdicts: [],
    escalated: [],
    asked: {},
    approvals: [],
    interruptions: 0,
    ...part,
  };
}

export function run(part: Partial<Run> = {}): Run {
  return {
    id: "k3f9x2ab",
    seq: 1,
    task: task(),
    taskHash: "0",
    dir: "/project",
    host: "box",
    pins: {},
    unable: [],
    startedAt: TIME,
    updatedAt: TIME,
    elapsedMs: 72_000,
    state: "running",
    baseline: iteration(0),
    iterations: [],
    pausing: false,
    steering: [],
    inbox: 0,
    reopened: false,
    ...part,
  };
}

export function agent(part: Partial<AgentResult> = {}): AgentResult {
  return { ok: true, exitCode: 0, message: "", usage: {}, durationMs: 4000, leftBehind: [], ...part };
}

export function verdict(part: Partial<Verdict> = {}): Verdict {
  return { status: "passed", score: 1, summary: "", failures: [], evidence: {}, durationMs: 10, ...part };
}

/** A failed verdict: three of five tests pass. */
export const red = verdict({
  status: "failed",
  score: 0.6,
  summary: "3 passed, 2 failed",
  tests: { total: 5, passed: 3, failed: 2, skipped: 0 },
  failures: [
    { id: "adds numbers", message: "expected 4, got 5", location: "test/add.test.js:12" },
    { message: "the report is missing" },
  ],
});

export function gateProgress(gate: string, part: Partial<GateProgress> = {}): GateProgress {
  return { gate, score: 0, summary: "", trend: "stagnant", scores: [], ...part };
}

export function progress(part: Partial<Progress> = {}): Progress {
  return {
    iteration: 0,
    maxIterations: 20,
    elapsedMs: 72_000,
    phase: { name: "agent", since: TIME },
    overall: 0,
    gatesPassed: 0,
    gatesTotal: 2,
    byGate: [gateProgress("tests"), gateProgress("lint")],
    trend: "stagnant",
    velocity: 0,
    scores: [],
    ...part,
  };
}

export function event(body: EventBody): RunEvent {
  return { ...body, v: 1, run: "k3f9x2ab", seq: 1, time: TIME, elapsedMs: 72_000 };
}

/** A run in the middle of its third iteration. */
export const midway: Run = run({
  task: task({
    limits: {
      iterations: 20,
      timeMs: 3_600_000,
      iterationMs: 1_800_000,
      tokens: 500_000,
      cost: 5,
      agentFailures: 3,
    },
  }),
  baseline: iteration(0, {
    score: 0.2,
    verdicts: [
      {
        gate: "tests",
        verdict: verdict({
          status: "failed",
          score: 0.4,
          tests: { total: 5, passed: 2, failed: 3, skipped: 0 },
        }),
      },
      { gate: "lint", verdict: verdict({ status: "failed", score: 0, summary: "3 problems" }) },
    ],
  }),
  iterations: [
    iteration(1, {
      agent: agent({ usage: { inputTokens: 9000, outputTokens: 1200, costUsd: 0.04 } }),
      snapshot: { tree: "a".repeat(40), changes: [], changeCount: 3, omitted: [] },
      verdicts: [
        { gate: "tests", verdict: red },
        { gate: "lint", verdict: verdict() },
      ],
      score: 0.8,
      decision: { continue: true, reason: "iteration 1 of 3", confidence: 1 },
    }),
    iteration(2, {
      agent: agent({ ok: false, failure: "timed-out", reason: "no end after 30m", durationMs: 1_800_000 }),
      snapshot: { tree: "b".repeat(40), changes: [], changeCount: 0, omitted: [] },
      verdicts: [
        { gate: "tests", verdict: red },
        { gate: "lint", verdict: verdict({ status: "errored", score: 0, summary: "eslint: not found" }) },
      ],
      score: 0.3,
      decision: {
        continue: true,
        reason: "the best score so far rose by 0.60, a bonus iteration is granted",
        confidence: 0.9,
      },
    }),
    iteration(3),
  ],
});

export const midwayProgress: Progress = progress({
  iteration: 3,
  elapsedMs: 252_000,
  maxMs: 3_600_000,
  overall: 0.3,
  byGate: [
    gateProgress("tests", {
      status: "failed",
      score: 0.6,
      summary: "3 passed, 2 failed",
      tests: { total: 5, passed: 3, failed: 2, skipped: 0 },
      scores: [0.4, 0.6, 0.6],
    }),
    gateProgress("lint", { status: "errored", score: 0, summary: "eslint: not found", scores: [0, 1, 0] }),
  ],
  trend: "regressing",
  remaining: 2.4,
  scores: [0.2, 0.8, 0.3],
  best: { iteration: 1, score: 0.8 },
  tokens: 132_000,
  costUsd: 0.42,
});
