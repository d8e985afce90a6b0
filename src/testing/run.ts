// Builds example runs, tasks and verdicts for tests of strategies and memories.
import { defaultTask } from "#rules/default-task";
import type { Command } from "#spec/command";
import type { Decision } from "#spec/decision";
import type { JudgeRequest } from "#spec/gate";
import type { Note } from "#spec/note";
import type { Iteration, Judged, Run } from "#spec/run";
import { GATE_POLICY_DEFAULTS, type GateSpec, TASK_DEFAULTS, type Task } from "#spec/task";
import type { Verdict, VerdictStatus } from "#spec/verdict";

export interface ExampleIteration {
  /** Status of every gate, or by gate; gates not named have no verdict. Defaults to "failed". */
  readonly status?: VerdictStatus | Readonly<Record<string, VerdictStatus>>;
  /** Overrides the verdicts made from `status`. */
  readonly verdicts?: readonly Judged[];
  /** Defaults to 1 when every gate passed, else 0; null for an iteration without a score. */
  readonly score?: number | null;
  /** Defaults to a unique tree; null for an iteration without a snapshot. */
  readonly tree?: string | null;
  /** The tree it started from. */
  readonly from?: string;
  /** Lines that differ from the base. */
  readonly lines?: number;
  readonly costUsd?: number;
  readonly message?: string;
  /** False for an agent that crashed. */
  readonly ok?: boolean;
  readonly prompt?: string;
  readonly note?: Note;
  readonly direction?: Omit<Extract<Command, { type: "decide" }>, "type">;
  readonly decision?: Decision;
}

export interface ExampleOptions {
  readonly task?: Partial<Task>;
  readonly baseline?: ExampleIteration;
  /** Number of iterations when the ended run was resumed. */
  readonly reopenedAt?: number;
}

/** Builds a deeply frozen run with these iterations. */
export function exampleRun(iterations: readonly ExampleIteration[], options: ExampleOptions = {}): Run {
  const task = exampleTask(options.task);
  return deepFreeze({
    id: "example",
    seq: 1 + iterations.length * 5,
    task,
    taskHash: "0".repeat(64),
    dir: "/project",
    host: "example",
    startedAt: timeOf(0),
    updatedAt: timeOf(iterations.length + 1),
    elapsedMs: (iterations.length + 1) * 60_000,
    state: "running",
    pins: {},
    unable: [],
    baseline: iterationOf({ score: 0, tree: "base", ...options.baseline }, 0, task),
    iterations: iterations.map((facts, index) => iterationOf(facts, index + 1, task)),
    pausing: false,
    steering: [],
    inbox: 0,
    reopened: false,
    ...(options.reopenedAt !== undefined && { reopenedAt: options.reopenedAt }),
  });
}

/** Builds a task with one gate, `tests`. */
export function exampleTask(parts: Partial<Task> = {}): Task {
  return defaultTask({
    prompt: "Make the tests pass.",
    agents: [{ type: "command" }],
    gates: [exampleGate("tests")],
    workspace: { dir: "/project" },
    limits: { ...TASK_DEFAULTS.limits, iterations: 10 },
    ...parts,
  });
}

export function exampleGate(name: string, type = "command"): GateSpec {
  return { name, use: { type }, policy: structuredClone(GATE_POLICY_DEFAULTS) };
}

/** Builds a judge request for an unchanged workspace. */
export function exampleRequest(
  parts: Partial<JudgeRequest> & Pick<JudgeRequest, "run" | "dir" | "files">,
): JudgeRequest {
  return { iteration: 1, tree: "tree-1", diff: async () => "", copy: async () => {}, ...parts };
}

export function exampleVerdict(parts: Partial<Verdict> = {}): Verdict {
  const status = parts.status ?? "failed";
  const score = status === "passed" ? 1 : 0;
  return { status, score, summary: status, failures: [], evidence: {}, durationMs: 1000, ...parts };
}

function iterationOf(facts: ExampleIteration, number: number, task: Task): Iteration {
  const verdicts = facts.verdicts ?? verdictsOf(facts, task);
  const passed = verdicts.length > 0 && verdicts.every(({ verdict }) => verdict.status === "passed");
  const { score = passed ? 1 : 0, tree = `tree-${number}`, direction, note, decision } = facts;
  return {
    number,
    ...(facts.from !== undefined && { from: facts.from }),
    startedAt: timeOf(number),
    startedMs: number * 60_000,
    prompt: number === 0 ? "" : (facts.prompt ?? task.prompt),
    ...(number === 0 ? {} : { agent: agentOf(facts) }),
    delays: 0,
    spent: [],
    ...(tree === null ? {} : { snapshot: snapshotOf(tree, facts) }),
    verdicts,
    escalated: [],
    asked: {},
    ...(score === null ? {} : { score }),
    ...(note ? { note } : {}),
    ...(decision ? { decision } : {}),
    ...(direction ? { direction: { type: "decide", ...direction } } : {}),
    approvals: [],
    interruptions: 0,
  };
}

function snapshotOf(tree: string, { lines }: ExampleIteration): NonNullable<Iteration["snapshot"]> {
  return {
    tree,
    changes: [],
    changeCount: 0,
    ...(lines !== undefined && { linesFromBase: lines }),
    omitted: [],
  };
}

function verdictsOf({ status = "failed", score }: ExampleIteration, task: Task): readonly Judged[] {
  return task.gates.flatMap(({ name }) => {
    const own = typeof status === "string" ? status : status[name];
    if (own === undefined) return [];
    return [
      { gate: name, verdict: exampleVerdict({ status: own, score: own === "passed" ? 1 : (score ?? 0) }) },
    ];
  });
}

function agentOf({ ok = true, message = "", costUsd }: ExampleIteration): NonNullable<Iteration["agent"]> {
  return {
    ok,
    ...(ok ? {} : { failure: "crashed" as const, reason: "exit code 1" }),
    exitCode: ok ? 0 : 1,
    message,
    usage: costUsd === undefined ? {} : { costUsd },
    durationMs: 1000,
    leftBehind: [],
  };
}

function timeOf(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
