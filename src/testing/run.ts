// Builds runs to try strategies and memories on, from the few facts that matter.
import type { Command } from "#spec/command";
import type { Decision } from "#spec/decision";
import type { JudgeRequest } from "#spec/gate";
import type { Note } from "#spec/note";
import type { Iteration, Judged, Run } from "#spec/run";
import type { GateSpec, Task } from "#spec/task";
import type { Verdict, VerdictStatus } from "#spec/verdict";

export interface ExampleIteration {
  /** Of every gate, or by gate; gates not named are not judged. Failed unless told. */
  readonly status?: VerdictStatus | Readonly<Record<string, VerdictStatus>>;
  /** Instead of verdicts made from `status`. */
  readonly verdicts?: readonly Judged[];
  /** 1 unless told when every gate passed, else 0; null for an iteration without a score. */
  readonly score?: number | null;
  /** A tree of its own unless told; null for an iteration without a snapshot. */
  readonly tree?: string | null;
  /** The tree it started from; unknown unless told. */
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
  /** Iterations it had when it was resumed after its end. */
  readonly reopenedAt?: number;
}

/** A run after these iterations, deeply frozen. */
export function exampleRun(iterations: readonly ExampleIteration[], options: ExampleOptions = {}): Run {
  const task = exampleTask(options.task);
  return frozen({
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

/** A task with one gate, `tests`. */
export function exampleTask(parts: Partial<Task> = {}): Task {
  return {
    prompt: "Make the tests pass.",
    agents: [{ type: "command" }],
    rotate: false,
    context: "fresh",
    isolation: { type: "auto", network: true, writable: [] },
    secrets: [],
    prices: {},
    gates: [exampleGate("tests")],
    strategy: { type: "hybrid" },
    memory: { type: "captured" },
    workspace: { type: "in-place", dir: "/project" },
    limits: { iterations: 10, iterationMs: 3_600_000, agentFailures: 3 },
    until: [],
    baseline: true,
    requireChange: false,
    requirePromise: false,
    ignorePreexisting: false,
    onDivergence: "keep-last",
    onResume: "keep",
    feedback: { failures: 10, chars: 500, total: 4000 },
    vars: {},
    files: {},
    hooks: {},
    ...parts,
  };
}

export function exampleGate(name: string, type = "command"): GateSpec {
  return {
    name,
    use: { type },
    policy: {
      onFailure: { action: "iterate", feedback: "auto" },
      onSuccess: "continue",
      condition: "always",
      weight: 1,
    },
  };
}

/** What a gate is asked, about a workspace that has not been changed. */
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

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}
