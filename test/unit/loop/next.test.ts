// The order of the loop, one row per branch: the events so far and the first event of the next step.
import { describe, expect, it } from "vitest";
import { next } from "#loop/next";
import type { EventBody, Outcome } from "#spec/event";
import type { Task } from "#spec/task";
import { exampleGate } from "#testing/run";
import { eventsFrom, plainPorts } from "../../support/plain-ports.ts";
import {
  began,
  captured,
  decided,
  ended,
  gateWith,
  judged,
  resumed,
  runAfter,
  tampered,
  told,
  worked,
} from "../../support/run-so-far.ts";

/** Title, events so far, expected next event, and task options. */
type Row = [string, readonly EventBody[], Partial<EventBody>, Partial<Task>?];

const captures = (iteration: number) => ({ type: "snapshot.taken", iteration }) as const;
const judges = (iteration: number, gate = "tests") => ({ type: "gate.judged", iteration, gate }) as const;
const starts = (iteration: number) => ({ type: "iteration.started", iteration }) as const;
const runsAgent = (iteration: number) => ({ type: "agent.finished", iteration }) as const;
const decides = (iteration: number) => ({ type: "decision.made", iteration }) as const;
const restores = (iteration: number, tree: string) =>
  ({ type: "workspace.restored", iteration, tree }) as const;
const parks = (reason: string, ...gates: string[]) => ({ type: "run.parked", reason, gates }) as const;
const pauses = { type: "run.paused" } as const;
const ends = (outcome: Outcome, reason: string) => ({ type: "run.ended", outcome, reason }) as const;

const PAST = "2025-01-01T00:00:00.000Z";
const FUTURE = "2027-01-01T00:00:00.000Z";

/** The baseline is captured, and its gate fails. */
const base = [captured(0), judged(0, "failed")];
/** The agent has worked on iteration N, and its files are captured. */
const workedOn = (iteration: number) => [began(iteration), worked(iteration), captured(iteration)];
/** Iteration N is judged: the gate fails. */
const red = (iteration: number) => [...workedOn(iteration), judged(iteration, "failed")];
/** Iteration N is judged: the gate passes. */
const green = (iteration: number) => [...workedOn(iteration), judged(iteration, "passed")];
const testsAndLint = { gates: [exampleGate("tests"), exampleGate("lint")] };
const stopsOnRed = { gates: [gateWith("tests", { onFailure: { action: "stop" } }), exampleGate("lint")] };
const limits = (parts: Partial<Task["limits"]>) => ({
  limits: { iterations: 10, iterationMs: 3_600_000, agentFailures: 3, ...parts },
});

async function checkRow(
  _title: string,
  events: readonly EventBody[],
  expected: Partial<EventBody>,
  task?: Partial<Task>,
): Promise<void> {
  const run = runAfter(events, task);
  const step = next(run, run.updatedAt);
  const [first] = await eventsFrom(
    step({ run, ports: plainPorts(run), signal: new AbortController().signal }),
  );
  expect(first).toMatchObject(expected);
}

describe("requests of people", () => {
  const stop = told({ type: "stop", reason: "enough" });
  const pause = told({ type: "pause" });

  it.each<Row>([
    ["a stop request ends a run that has done nothing yet", [stop], ends("stopped", "enough")],
    ["a stop request comes before a pause request", [pause, stop], ends("stopped", "enough")],
    [
      "a stop request comes before the success of passing gates",
      [...base, ...green(1), decided(1), stop],
      ends("stopped", "enough"),
    ],
    ["a pause request comes before the baseline", [pause], pauses],
    ["a pause request comes before the agent", [...base, began(1), pause], pauses],
  ])("%s", checkRow);
});

describe("the baseline", () => {
  const cannotJudge = judged(0, { status: "errored", summary: "npm is not installed" });
  const blocked =
    'gate "tests" cannot judge: npm is not installed. No agent was started. Mend this and run again, or pass --allow-errored-baseline to let the agent build what is missing';

  it.each<Row>([
    ["a new run captures the baseline", [], captures(0)],
    ["a captured baseline is judged by its first gate", [captured(0)], judges(0), testsAndLint],
    ["the first verdict is followed by the second gate", base, judges(0, "lint"), testsAndLint],
    [
      "a baseline gate that waits is judged again when its deadline has passed",
      [captured(0), judged(0, { status: "waiting", until: PAST })],
      judges(0),
    ],
    [
      "a baseline gate is not judged again once the agent has worked",
      [captured(0), judged(0, { status: "waiting", until: PAST }), began(1)],
      runsAgent(1),
    ],
    [
      "a baseline gate that waits for a person does not keep the agent from starting",
      [captured(0), judged(0, { status: "waiting", until: FUTURE })],
      starts(1),
    ],
    [
      "a gate that cannot judge the baseline blocks the run before other gates judge",
      [captured(0), cannotJudge],
      ends("blocked", blocked),
      testsAndLint,
    ],
    [
      "a gate that cannot judge the baseline is allowed when the task says so",
      [captured(0), cannotJudge],
      starts(1),
      { allowErroredBaseline: true },
    ],
    [
      "a mendable gate error does not block the run",
      [captured(0), judged(0, { status: "errored", mendable: true })],
      starts(1),
    ],
    [
      "an errored baseline is ignored once an iteration has started",
      [captured(0), cannotJudge, began(1)],
      runsAgent(1),
    ],
    [
      "a baseline that passes ends the run without an agent",
      [captured(0), judged(0, "passed")],
      ends("converged", "every gate passes already: nothing to do"),
    ],
    [
      "a baseline that passes ends the run as converged although its time is up",
      [captured(0), judged(0, "passed")],
      ends("converged", "every gate passes already: nothing to do"),
      limits({ timeMs: 1 }),
    ],
    [
      "a baseline that passes is not enough when a change is required",
      [captured(0), judged(0, "passed")],
      starts(1),
      { requireChange: true },
    ],
    [
      "a task without a baseline starts the agent without judging",
      [captured(0)],
      starts(1),
      { baseline: false },
    ],
    ["a task without gates starts the agent", [captured(0)], starts(1), { gates: [] }],
  ])("%s", checkRow);
});

describe("starting an iteration", () => {
  const forbidden = worked(1, { refused: ["git push is not allowed"] });

  it.each<Row>([
    ["a red baseline starts the first iteration", base, starts(1)],
    ["a decision to continue starts the next iteration", [...base, ...red(1), decided(1)], starts(2)],
    [
      "a reached limit ends the run before the first iteration",
      base,
      ends("diverged", "time limit: 2 min used up"),
      limits({ timeMs: 120_000 }),
    ],
    [
      "a reached limit ends the run although the decision is to continue",
      [...base, ...red(1), decided(1)],
      ends("diverged", "the only iteration is used"),
      limits({ iterations: 1 }),
    ],
    [
      "a reached limit blocks the run when the agent was denied a permission",
      [...base, began(1), forbidden, captured(1), judged(1, "failed"), decided(1)],
      ends("blocked", "git push is not allowed (the only iteration is used)"),
      limits({ iterations: 1 }),
    ],
    [
      "a reached limit comes before a rollback",
      [...base, ...red(1), decided(1, { rollbackTo: 0 })],
      ends("diverged", "the only iteration is used"),
      limits({ iterations: 1 }),
    ],
    [
      "a decision to roll back restores the files first",
      [...base, ...red(1), decided(1), ...red(2), decided(2, { rollbackTo: 1 })],
      restores(1, "tree-1"),
    ],
    [
      "a rollback to the base restores the baseline files",
      [...base, ...red(1), decided(1, { rollbackTo: 0 })],
      restores(0, "tree-0"),
    ],
    [
      "restored files are followed by the next iteration",
      [
        ...base,
        ...red(1),
        decided(1, { rollbackTo: 0 }),
        { type: "workspace.restored", iteration: 0, tree: "tree-0", saved: "tree-1" },
      ],
      starts(2),
    ],
  ])("%s", checkRow);
});

describe("within an iteration", () => {
  const blockedAgent = { ok: false, failure: "blocked", reason: "run claude login first" } as const;

  it.each<Row>([
    ["a started iteration runs the agent", [...base, began(1)], runsAgent(1)],
    [
      "an agent that is blocked ends the run with its reason",
      [...base, began(1), worked(1, blockedAgent)],
      ends("blocked", "run claude login first"),
    ],
    [
      "an agent that is not installed ends the run as blocked",
      [...base, began(1), worked(1, { ok: false, failure: "not-found" })],
      ends("blocked", "the agent cannot work"),
    ],
    [
      "an agent that crashed has its files captured like any other",
      [...base, began(1), worked(1, { ok: false, failure: "crashed" })],
      captures(1),
    ],
    ["an agent that finished has its files captured", [...base, began(1), worked(1)], captures(1)],
    ["captured files are judged by the first gate", [...base, ...workedOn(1)], judges(1)],
    [
      "the first verdict is followed by the second gate",
      [...base, judged(0, "passed", "lint"), ...red(1)],
      judges(1, "lint"),
      testsAndLint,
    ],
    [
      "a change of protected files ends the run when the task says so",
      [...base, began(1), worked(1), tampered(1, "fail", "a.test.ts", "b.test.ts"), captured(1)],
      ends("diverged", "the agent changed what is protected: a.test.ts, b.test.ts"),
    ],
    [
      "a change of many protected files names five of them",
      [...base, began(1), worked(1), tampered(1, "fail", ..."abcdefg"), captured(1)],
      ends("diverged", "the agent changed what is protected: a, b, c, d, e and 2 more"),
    ],
    [
      "a change of protected files that was undone is followed by the gates",
      [...base, began(1), worked(1), tampered(1, "restore", "a.test.ts"), captured(1)],
      judges(1),
    ],
    [
      "a red gate whose policy is to stop ends the run before other gates judge",
      [...base, judged(0, "passed", "lint"), ...red(1)],
      ends("diverged", "gate tests failed, and its policy is to stop"),
      stopsOnRed,
    ],
    [
      "a green gate whose policy is to stop is followed by the other gates",
      [...base, judged(0, "passed", "lint"), ...green(1)],
      judges(1, "lint"),
      stopsOnRed,
    ],
    ["a red gate whose policy is to iterate is followed by the decision", [...base, ...red(1)], decides(1)],
    ["a green gate is followed by the decision", [...base, ...green(1)], decides(1)],
    [
      "a time limit that is reached before a gate has judged ends the run",
      [...base, ...workedOn(1)],
      ends("diverged", "time limit: 5 min used up"),
      limits({ timeMs: 300_000 }),
    ],
    [
      "a time limit that is not yet reached lets the gate judge",
      [...base, ...workedOn(1)],
      judges(1),
      limits({ timeMs: 300_001 }),
    ],
    [
      "a time limit that is reached after the last verdict is left to the decision",
      [...base, ...red(1)],
      decides(1),
      limits({ timeMs: 1 }),
    ],
    [
      "a task without gates goes from the snapshot to the decision",
      [captured(0), ...workedOn(1)],
      decides(1),
      { gates: [] },
    ],
  ])("%s", checkRow);
});

describe("a gate that waits for a person", () => {
  const asked = [
    ...base,
    judged(0, "waiting", "review"),
    ...green(1),
    judged(1, { status: "waiting", summary: "ask ann", until: FUTURE }, "review"),
  ];
  const testsAndReview = { gates: [exampleGate("tests"), exampleGate("review")] };

  it.each<Row>([
    ["parks the run when nothing else is red", asked, parks("review: ask ann", "review"), testsAndReview],
    [
      "does not park the run while another gate is red",
      [...base, judged(0, "waiting", "review"), ...red(1), judged(1, "waiting", "review")],
      decides(1),
      testsAndReview,
    ],
    [
      "judges again when its deadline has passed",
      [...asked, judged(1, { status: "waiting", until: PAST }, "review")],
      judges(1, "review"),
      testsAndReview,
    ],
    [
      "judges again when the person has answered",
      [...asked, told({ type: "approve", gate: "review", by: "ann" })],
      judges(1, "review"),
      testsAndReview,
    ],
    [
      "is skipped when a person has decided about the iteration",
      [...asked, told({ type: "decide", choice: "continue" })],
      decides(1),
      testsAndReview,
    ],
  ])("%s", checkRow);
});

describe("after the decision", () => {
  const twice = { gates: [gateWith("tests", { onFailure: { maxAttempts: 2 } })] };
  const forbidden = worked(1, { refused: ["git push is not allowed"] });
  const stops = (reason: string) => decided(1, { continue: false, reason });

  it.each<Row>([
    [
      "passing gates end the run as converged",
      [...base, ...green(1), stops("all gates pass")],
      ends("converged", "all gates pass"),
    ],
    [
      "passing gates end the run although the decision is to continue",
      [...base, ...green(1), decided(1, { reason: "one more" })],
      ends("converged", "one more"),
    ],
    [
      "passing gates end the run as converged in the last iteration that is allowed",
      [...base, ...green(1), stops("all gates pass")],
      ends("converged", "all gates pass"),
      limits({ iterations: 1 }),
    ],
    [
      "passing gates end the run although the decision is to wait",
      [...base, ...green(1), decided(1, { continue: false, wait: true, reason: "look at it" })],
      ends("converged", "look at it"),
    ],
    [
      "a decision to accept ends the run as converged with red gates",
      [...base, ...red(1), decided(1, { continue: false, accept: true, reason: "good enough" })],
      { ...ends("converged", "good enough"), partial: true },
    ],
    [
      "a decision to wait parks the run for a person",
      [...base, ...red(1), decided(1, { continue: false, wait: true, reason: "which way?" })],
      parks("which way?"),
    ],
    [
      "a person's decision to stop ends the run as stopped",
      [...base, ...red(1), told({ type: "decide", choice: "stop" }), stops("ann stopped it")],
      ends("stopped", "ann stopped it"),
    ],
    [
      "a strategy's decision to stop ends the run as diverged",
      [...base, ...red(1), stops("no progress")],
      ends("diverged", "no progress"),
    ],
    [
      "a decision to stop blocks the run when the agent was denied a permission",
      [...base, began(1), forbidden, captured(1), judged(1, "failed"), stops("no progress")],
      ends("blocked", "git push is not allowed (no progress)"),
    ],
    [
      "a gate that has reached its maximum of attempts ends the run although the decision is to continue",
      [...base, ...red(1), decided(1), ...red(2), decided(2)],
      ends("diverged", "gate tests failed 2 times in a row, which is its maximum"),
      twice,
    ],
    [
      "a gate that may fail once more does not end the run",
      [...base, ...red(1), decided(1)],
      starts(2),
      twice,
    ],
  ])("%s", checkRow);
});

describe("a run that is resumed after its end", () => {
  const diverged = [...base, ...red(1), decided(1, { continue: false }), ended("diverged")];
  const converged = [
    ...base,
    ...green(1),
    decided(1, { continue: false, reason: "all gates pass" }),
    ended("converged"),
  ];

  it.each<Row>([
    ["continues although its last decision was to stop", [...diverged, resumed()], starts(2)],
    [
      "ends again at a limit that was not raised",
      [...diverged, resumed()],
      ends("diverged", "the only iteration is used"),
      limits({ iterations: 1 }),
    ],
    [
      "continues within a raised limit",
      [...diverged, resumed({ iterations: 2 })],
      starts(2),
      limits({ iterations: 1 }),
    ],
    [
      "ends as converged again when its gates pass",
      [...converged, resumed()],
      ends("converged", "all gates pass"),
    ],
    [
      "continues after passing gates when a person has steered it",
      [...converged, resumed(), told({ type: "steer", text: "Rename it as well." })],
      starts(2),
    ],
  ])("%s", checkRow);
});
