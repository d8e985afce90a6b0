// Builds a run of n iterations as input for strategies: one gate per iteration, passing from `greenFrom` on.
import { defaultTask } from "#rules/default-task";
import type { Iteration, Run } from "#spec/run";
import { GATE_POLICY_DEFAULTS } from "#spec/task";
import type { Verdict } from "#spec/verdict";

const failed: Verdict = {
  status: "failed",
  score: 0.5,
  summary: "1 of 2 tests failed",
  failures: [{ id: "adds", message: "expected 2, got 3" }],
  evidence: {},
  durationMs: 10,
};
const passed: Verdict = { ...failed, status: "passed", score: 1, summary: "2 tests passed", failures: [] };

function iteration(number: number, message: string, verdict: Verdict): Iteration {
  return {
    number,
    startedAt: new Date(number * 1_000).toISOString(),
    startedMs: (number - 1) * 1_000,
    prompt: "make it green",
    agent: {
      ok: true,
      exitCode: 0,
      message,
      usage: { inputTokens: 100, outputTokens: 10 },
      durationMs: 500,
      leftBehind: [],
    },
    delays: 0,
    spent: [],
    snapshot: { tree: `tree-${number}`, changes: [], changeCount: 0, omitted: [] },
    verdicts: [{ gate: "tests", verdict }],
    escalated: [],
    asked: {},
    score: verdict.score,
    decision: { continue: true, reason: "go on", confidence: 1 },
    approvals: [],
    interruptions: 0,
  };
}

export function aRun(
  count: number,
  options: { id?: string; greenFrom?: number; messages?: string[] } = {},
): Run {
  const { id = "run-1", greenFrom = Number.POSITIVE_INFINITY, messages = [] } = options;
  const iterations = Array.from({ length: count }, (_, index) =>
    iteration(index + 1, messages[index] ?? `output ${index + 1}`, index + 1 >= greenFrom ? passed : failed),
  );
  const { agent: _none, ...baseline } = iteration(0, "", failed);
  return {
    id,
    pins: {},
    unable: [],
    seq: count * 5,
    task: defaultTask({
      prompt: "make it green",
      agents: [{ type: "command" }],
      gates: [{ name: "tests", use: { type: "command" }, policy: GATE_POLICY_DEFAULTS }],
      strategy: { type: "custom" },
      workspace: { dir: "." },
      limits: { iterations: 10, iterationMs: 60_000, timeMs: 600_000, agentFailures: 3 },
      onResume: "restore",
      feedback: { failures: 10, chars: 1_000, total: 10_000 },
    }),
    taskHash: "hash",
    dir: "/project",
    host: "here",
    startedAt: new Date(0).toISOString(),
    updatedAt: new Date(0).toISOString(),
    elapsedMs: count * 1_000,
    state: "running",
    baseline,
    iterations,
    pausing: false,
    steering: [],
    inbox: 0,
    reopened: false,
  };
}
