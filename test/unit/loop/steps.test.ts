// The events of each step, with in-memory ports: the end, the baseline, a new iteration, the decision.
import { describe, expect, it } from "vitest";
import type { Step } from "#loop/step";
import { decide, end, restore, startBaseline, startIteration } from "#loop/steps";
import type { EventBody, Outcome } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import type { Deliver, Task } from "#spec/task";
import { eventsFrom, plainPorts, plainWorkspace } from "../../support/plain-ports.ts";
import { began, captured, gateWith, judged, runAfter, told, worked } from "../../support/run-so-far.ts";

const yielded = (step: Step, run: Run, parts: Partial<Ports> = {}, signal = new AbortController().signal) =>
  eventsFrom(step({ run, ports: plainPorts(run, parts), signal }));
const iteration = (number: number, score: number): EventBody[] => [
  began(number),
  worked(number),
  captured(number),
  judged(number, { status: score === 1 ? "passed" : "failed", score }),
];
const base = [captured(0), judged(0, { score: 0 })];
/** Iteration 1 is better than iteration 2. */
const worse = [...base, ...iteration(1, 0.9), ...iteration(2, 0.5)];
const solved = [...base, ...iteration(1, 1)];

describe("the end of a run", () => {
  const deliver: Deliver = { type: "branch", remote: "origin", whenRed: false };
  const delivered = (tree: string) => ({ type: "run.delivered", delivered: { type: "branch", tree } });
  const ended = (outcome: Outcome, parts: object = {}) => ({
    type: "run.ended",
    outcome,
    reason: "why",
    ...parts,
  });
  const back = { type: "workspace.restored", iteration: 1, tree: "tree-1", saved: "tree-2" };
  const restoreBest = { onDivergence: "restore-best" } as const;
  const cleanRoom = { gates: [gateWith("tests", { cleanRoom: true })] };

  it.each<[string, Outcome, readonly EventBody[], Partial<Task>, readonly object[]]>([
    [
      "records the final tree and the best iteration",
      "diverged",
      worse,
      {},
      [
        ended("diverged", {
          iterations: 2,
          partial: false,
          tree: "tree-2",
          best: { iteration: 1, tree: "tree-1", score: 0.9 },
        }),
      ],
    ],
    [
      "is partial when it converged with red gates",
      "converged",
      worse,
      {},
      [ended("converged", { partial: true })],
    ],
    [
      "is not partial when it converged with green gates",
      "converged",
      solved,
      {},
      [ended("converged", { partial: false })],
    ],
    ["restores the best files first with onDivergence restore-best", "diverged", worse, restoreBest, [back]],
    [
      "follows once the best files are restored",
      "diverged",
      [...worse, { type: "workspace.restored", iteration: 1, tree: "tree-1", saved: "tree-2" }],
      restoreBest,
      [ended("diverged", { tree: "tree-1" })],
    ],
    ["leaves the files of a stopped run alone", "stopped", worse, restoreBest, [ended("stopped")]],
    [
      "leaves the last files when none are better",
      "diverged",
      [...base, ...iteration(1, 0.5)],
      restoreBest,
      [ended("diverged")],
    ],
    ["delivers a converged run", "converged", solved, { deliver }, [delivered("tree-1"), ended("converged")]],
    ["does not deliver red work", "converged", worse, { deliver }, [ended("converged")]],
    [
      "delivers red work when the task says so",
      "diverged",
      worse,
      { deliver: { ...deliver, whenRed: true } },
      [delivered("tree-2"), ended("diverged")],
    ],
    [
      "does not deliver the work of a stopped run",
      "stopped",
      solved,
      { deliver: { ...deliver, whenRed: true } },
      [ended("stopped")],
    ],
    [
      "does not deliver twice",
      "converged",
      [...solved, { type: "run.delivered", delivered: { type: "branch", tree: "tree-1" } }],
      { deliver },
      [ended("converged")],
    ],
  ])("%s", async (_, outcome, events, task, expected) => {
    const found = await yielded(end(outcome, "why"), runAfter(events, task));
    expect(found).toMatchObject(expected);
    expect(found).toHaveLength(expected.length);
  });

  it.each<[string, Partial<Task>, readonly object[]]>([
    [
      "restores the files that a clean room judged",
      cleanRoom,
      [{ type: "workspace.restored", iteration: 1, tree: "tree-1", saved: "edited" }, ended("converged")],
    ],
    ["leaves files alone when no gate ran in a clean room", {}, [ended("converged")]],
  ])("%s", async (_, task, expected) => {
    const found = await yielded(end("converged", "why"), runAfter(solved, task), {
      workspace: plainWorkspace("edited"),
    });
    expect(found).toMatchObject(expected);
    expect(found).toHaveLength(expected.length);
  });

  it.each<[string, AbortSignal, readonly object[]]>([
    [
      "reports a delivery that failed",
      new AbortController().signal,
      [{ type: "run.delivered", delivered: { problem: "no such remote" } }, ended("converged")],
    ],
    ["is not recorded when the delivery was aborted", AbortSignal.abort(), []],
  ])("%s", async (_, signal, expected) => {
    const workspace = {
      ...plainWorkspace("tree-1"),
      deliver: () => Promise.reject(new Error("no such remote")),
    };
    const found = await yielded(
      end("converged", "why"),
      runAfter(solved, { deliver }),
      { workspace },
      signal,
    );
    expect(found).toMatchObject(expected);
    expect(found).toHaveLength(expected.length);
  });
});

describe("the start of the baseline", () => {
  const agents = (...blockers: readonly (string | undefined)[]) => ({
    agents: blockers.map((reason, at) => ({
      name: `agent ${at}`,
      blocker: () => reason,
      run: async function* () {},
    })),
  });

  it.each<[string, Partial<Ports>, object]>([
    ["captures the files", agents(undefined), { type: "snapshot.taken", iteration: 0 }],
    [
      "ends the run when the agent cannot work",
      agents("claude is not installed"),
      { type: "run.ended", outcome: "blocked", reason: "claude is not installed" },
    ],
    [
      "ends the run with the first reason when no agent can work",
      agents("claude is not installed", "codex is not installed"),
      { type: "run.ended", outcome: "blocked", reason: "claude is not installed" },
    ],
    [
      "captures the files when another agent can take over",
      agents("no", undefined),
      { type: "snapshot.taken" },
    ],
    ["captures the files when the first agent can work", agents(undefined, "no"), { type: "snapshot.taken" }],
  ])("%s", async (_, parts, expected) => {
    expect(await yielded(startBaseline, runAfter([]), parts)).toMatchObject([expected]);
  });

  it("seals the protected files", async () => {
    const protect = { paths: [{ path: "*.test.ts", grows: false }], action: "restore" as const };
    expect(await yielded(startBaseline, runAfter([], { protect }))).toMatchObject([{ seal: "seal" }]);
  });
});

describe("the start of an iteration", () => {
  const note = { text: "tried a cache" };
  const memory = { recall: () => "what was tried", note: async () => note };
  const noted: EventBody = { type: "memory.noted", iteration: 1, note };
  const first = [...base, ...iteration(1, 0.5)];

  it.each<[string, readonly EventBody[], Partial<Ports>, object]>([
    [
      "has a prompt with the task, the memory and the steering of people",
      [...base, told({ type: "steer", text: "Mind the cache." })],
      { memory: { recall: () => "what was tried" } },
      {
        type: "iteration.started",
        iteration: 1,
        prompt: expect.stringMatching(/^Make the tests pass\..*Mind the cache\..*\nwhat was tried\n/s),
      },
    ],
    ["notes the previous iteration in the memory first", first, { memory }, noted],
    ["notes each iteration once", [...first, noted], { memory }, { type: "iteration.started", iteration: 2 }],
    [
      "notes nothing before the first iteration",
      base,
      { memory },
      { type: "iteration.started", iteration: 1 },
    ],
  ])("%s", async (_, events, parts, expected) => {
    expect(await yielded(startIteration, runAfter(events), parts)).toMatchObject([expected]);
  });

  it.each<[string, number, readonly number[]]>([
    ["writes a file when the prompt cannot hold all failures", 11, [1]],
    ["writes no file when the prompt holds all failures", 10, []],
  ])("%s", async (_, count, expected) => {
    const failures = Array.from({ length: count }, (_, at) => ({ id: `case ${at}`, message: "no" }));
    const written: number[] = [];
    const writeForAgent = (number: number) => {
      written.push(number);
      return "/state/failures.txt";
    };
    const run = runAfter([captured(0), judged(0, { failures })]);
    const [started] = await yielded(startIteration, run, { writeForAgent });
    expect(written).toEqual(expected);
    expect(JSON.stringify(started).includes("/state/failures.txt")).toBe(expected.length > 0);
  });
});

describe("other steps", () => {
  it("the decision follows the escalations of red gates", async () => {
    const gates = [gateWith("tests", { onFailure: { action: "escalate" } })];
    expect(await yielded(decide, runAfter([...base, ...iteration(1, 0.5)], { gates }))).toMatchObject([
      { type: "gate.escalated", iteration: 1, gate: "tests", reason: "failed" },
      { type: "decision.made", iteration: 1, decision: { continue: true, reason: "the strategy goes on" } },
    ]);
  });

  it("a restore saves the files that it replaces", async () => {
    expect(await yielded(restore(1), runAfter(worse))).toEqual([
      { type: "workspace.restored", iteration: 1, tree: "tree-1", saved: "tree-2" },
    ]);
  });

  it("a restore to an iteration without a snapshot is an error", async () => {
    await expect(yielded(restore(1), runAfter([...base, began(1)]))).rejects.toThrow(
      "iteration 1 of run example has no snapshot to restore",
    );
  });
});
