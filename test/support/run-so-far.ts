// Builds a run by folding a short list of events, for tests of the pure loop. One event takes one minute.
import { foldAll } from "#loop/fold";
import type { AgentResult } from "#spec/agent";
import type { Command } from "#spec/command";
import type { Decision } from "#spec/decision";
import { EVENT_VERSION, type EventBody, type Outcome, type RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { GatePolicy, GateSpec, Limits, Protect, Task } from "#spec/task";
import type { Verdict, VerdictStatus } from "#spec/verdict";
import type { Snapshot } from "#spec/workspace";
import { exampleGate, exampleTask, exampleVerdict } from "#testing/run";

/** Folds `run.started` and these events into a run. */
export function runAfter(events: readonly EventBody[], task: Partial<Task> = {}): Run {
  const started: EventBody = {
    type: "run.started",
    task: exampleTask(task),
    taskHash: "0".repeat(64),
    dir: "/project",
    host: "first-host",
    version: "0",
  };
  const stamped = [started, ...events].map((body, at): RunEvent => {
    const time = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString();
    return { ...body, v: EVENT_VERSION, run: "example", seq: at + 1, time, elapsedMs: at * 60_000 };
  });
  return foldAll(stamped) as Run;
}

type PolicyParts = Partial<Omit<GatePolicy, "onFailure">> & {
  readonly onFailure?: Partial<GatePolicy["onFailure"]>;
};

/** A gate with the default policy, overridden by these parts. */
export function gateWith(name: string, { onFailure, ...parts }: PolicyParts): GateSpec {
  const gate = exampleGate(name);
  const merged = { ...gate.policy.onFailure, ...onFailure };
  return { ...gate, policy: { ...gate.policy, ...parts, onFailure: merged } };
}

export function snapshotOf(tree: string): Snapshot {
  return { tree, changes: [], changeCount: 0, omitted: [] };
}

/** Snapshot event. The tree defaults to `tree-N`. */
export function captured(iteration: number, tree = `tree-${iteration}`): EventBody {
  return { type: "snapshot.taken", iteration, snapshot: snapshotOf(tree) };
}

export function judged(
  iteration: number,
  verdict: VerdictStatus | Partial<Verdict>,
  gate = "tests",
): EventBody {
  const parts = typeof verdict === "string" ? { status: verdict } : verdict;
  return { type: "gate.judged", iteration, gate, verdict: exampleVerdict(parts) };
}

export function began(iteration: number): EventBody {
  return { type: "iteration.started", iteration, prompt: "Make the tests pass." };
}

/** The result of a successful agent. */
export function agentResult(parts: Partial<AgentResult> = {}): AgentResult {
  return { ok: true, exitCode: 0, message: "", usage: {}, durationMs: 1000, leftBehind: [], ...parts };
}

export function worked(iteration: number, result: Partial<AgentResult> = {}): EventBody {
  return { type: "agent.finished", iteration, agent: 0, result: agentResult(result) };
}

export function tampered(
  iteration: number,
  action: Protect["action"],
  ...paths: readonly string[]
): EventBody {
  const changes = paths.map((path) => ({ path, kind: "changed" as const }));
  return { type: "protected.changed", iteration, changes, diff: "", action, tree: `tampered-${iteration}` };
}

/** Decision event. The decision defaults to continue. */
export function decided(iteration: number, decision: Partial<Decision> = {}): EventBody {
  const made = { continue: true, reason: "tests still fail", confidence: 1, ...decision };
  return { type: "decision.made", iteration, decision: made };
}

export function told(command: Command, id = 1): EventBody {
  return { type: "command.received", queued: { id, command } };
}

export function ended(outcome: Outcome, reason = "the end", tree?: string): EventBody {
  const rest = { iterations: 0, partial: false, ...(tree !== undefined && { tree }) };
  return { type: "run.ended", outcome, reason, ...rest };
}

export function resumed(limits?: Partial<Limits>): EventBody {
  return { type: "run.resumed", host: "second-host", ...(limits && { limits }) };
}
