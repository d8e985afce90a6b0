// Gate policies: skipping, carrying verdicts over, backoff, stopping, escalating and waiting.
import { describe, expect, it } from "vitest";
import {
  escalations,
  exhaustedReason,
  findWaiting,
  gateBackoffMs,
  gateToJudge,
  isLastGate,
  isOver,
  stopReason,
  verdictWithoutJudging,
} from "#loop/policy";
import type { EventBody } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import type { GateSpec, Task } from "#spec/task";
import type { Verdict, VerdictStatus } from "#spec/verdict";
import { exampleGate, exampleVerdict } from "#testing/run";
import { began, captured, gateWith, judged, runAfter, told, worked } from "../../support/run-so-far.ts";

type Verdicts = Readonly<Record<string, VerdictStatus | Partial<Verdict>>>;

/** The events of an iteration with these verdicts, by gate. */
function iteration(number: number, verdicts: Verdicts, tree?: string): EventBody[] {
  const start = number === 0 ? [] : [began(number), worked(number)];
  const judgements = Object.entries(verdicts).map(([gate, verdict]) => judged(number, verdict, gate));
  return [...start, captured(number, tree), ...judgements];
}

/** A run whose iterations from the baseline on have these verdicts, each with a tree of its own. */
const runWith = (task: Partial<Task>, ...iterations: readonly Verdicts[]): Run =>
  runAfter(
    iterations.flatMap((verdicts, number) => iteration(number, verdicts)),
    task,
  );
const latest = (run: Run): Iteration => run.iterations.at(-1) ?? run.baseline;
const lint = exampleGate("lint");
const tests = exampleGate("tests");
const NOW = "2026-06-01T12:00:00.000Z";

describe("the gate that judges next", () => {
  it.each<[string, Verdicts, string | undefined]>([
    ["is the first one of an iteration without verdicts", {}, "tests"],
    ["is the first one without a verdict", { tests: "failed" }, "lint"],
    ["follows the order of the task, not that of the verdicts", { lint: "passed" }, "tests"],
    ["is none when all have judged", { tests: "failed", lint: "errored" }, undefined],
    ["is none while a gate waits without a deadline", { tests: "passed", lint: "waiting" }, undefined],
    [
      "is none before the deadline of a gate that waits",
      { tests: "passed", lint: { status: "waiting", until: "2026-06-01T12:00:00.001Z" } },
      undefined,
    ],
    [
      "is the gate that waits when its deadline has come",
      { tests: "passed", lint: { status: "waiting", until: NOW } },
      "lint",
    ],
    [
      "is none for a verdict with a deadline that no longer waits",
      { tests: "passed", lint: { status: "failed", until: NOW } },
      undefined,
    ],
  ])("%s", (_, verdicts, expected) => {
    const run = runWith({ gates: [tests, lint] }, verdicts);
    expect(gateToJudge(run, run.baseline, NOW)?.name).toBe(expected);
  });

  it.each<[string, Verdicts, boolean]>([
    ["is the last one when all others have judged", { tests: "passed" }, true],
    ["is not the last one when another has not judged", {}, false],
    ["is still the last one when it judges again", { tests: "passed", lint: "waiting" }, true],
  ])("%s", (_, verdicts, expected) => {
    const run = runWith({ gates: [tests, lint] }, verdicts);
    expect(isLastGate(run, run.baseline, "lint")).toBe(expected);
  });

  it.each<[string, string | undefined, boolean]>([
    ["a deadline in the past is over", "2026-06-01T11:59:59.999Z", true],
    ["a deadline that has come is over", NOW, true],
    ["a deadline in the future is not over", "2026-06-01T12:00:00.001Z", false],
    ["no deadline is never over", undefined, false],
  ])("%s", (_, until, expected) => {
    expect(isOver(until, NOW)).toBe(expected);
  });
});

describe("a gate that is skipped", () => {
  const enough = gateWith("tests", { onSuccess: "skip-remaining" });
  const afterTests = gateWith("lint", { skipIf: { failed: ["build", "tests"] } });

  it.each<[string, readonly GateSpec[], Verdicts, string | undefined]>([
    ["runs when no policy says otherwise", [tests, lint], { tests: "failed" }, undefined],
    [
      "is skipped when an earlier gate passed and that is enough",
      [enough, lint],
      { tests: "passed" },
      "skipped: tests passed, and that is enough",
    ],
    ["runs when the gate that would be enough failed", [enough, lint], { tests: "failed" }, undefined],
    ["runs when the gate that would be enough has not judged", [enough, lint], {}, undefined],
    [
      "is skipped when a gate that it depends on failed",
      [tests, afterTests],
      { tests: "failed" },
      "skipped: tests failed",
    ],
    [
      "is skipped when a gate that it depends on errored",
      [tests, afterTests],
      { tests: "errored" },
      "skipped: tests failed",
    ],
    ["runs when the gate that it depends on passed", [tests, afterTests], { tests: "passed" }, undefined],
    [
      "runs when the gate that it depends on was skipped",
      [tests, afterTests],
      { tests: "skipped" },
      undefined,
    ],
  ])("%s", (_, gates, verdicts, summary) => {
    const run = runWith({ gates }, {}, verdicts);
    const found = verdictWithoutJudging(run, latest(run), gates[1] as GateSpec);
    expect(found).toEqual(
      summary && { status: "skipped", score: 0, summary, failures: [], evidence: {}, durationMs: 0 },
    );
  });
});

describe("a gate that a person starts", () => {
  const manual = gateWith("deploy", { condition: "manual" });
  const asked = [...iteration(0, {}), ...iteration(1, { deploy: "waiting" })];
  const approve = told({ type: "approve", gate: "deploy", by: "ann" });
  const reject = told({ type: "reject", gate: "deploy", by: "ben" }, 2);
  const rejectWhy = told({ type: "reject", gate: "deploy", by: "ben", message: "not on Friday" }, 2);
  const rejected = (message: string) => ({
    status: "failed",
    score: 0,
    summary: "rejected by ben",
    failures: [{ message }],
  });

  it.each<[string, readonly EventBody[], object | undefined]>([
    ["waits for a person", [], { status: "waiting", summary: "waiting for a person to start it" }],
    ["judges when a person has approved", [approve], undefined],
    ["fails when a person has rejected", [reject], rejected("rejected by ben")],
    ["fails with the person's message", [rejectWhy], rejected("rejected by ben: not on Friday")],
    ["follows the last of several answers", [approve, rejectWhy], rejected("rejected by ben: not on Friday")],
    [
      "waits when the answer is about another gate",
      [told({ type: "approve", gate: "tests", by: "ann" })],
      { status: "waiting" },
    ],
  ])("%s", (_, answers, expected) => {
    const other = judged(1, "waiting", "tests");
    const run = runAfter([...asked, other, ...answers], { gates: [manual, tests] });
    const found = verdictWithoutJudging(run, latest(run), manual);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
});

describe("a gate that judges changed files only", () => {
  const onChange = gateWith("tests", { condition: "on-change" });
  const failed = { status: "failed", summary: "2 tests failed", durationMs: 900 } as const;
  const carried = (from: number) => ({ ...failed, durationMs: 0, carriedFrom: from });

  it.each<[string, readonly EventBody[], object | undefined]>([
    ["judges the baseline", iteration(0, {}), undefined],
    [
      "carries the verdict over while the files are the same",
      [...iteration(0, {}), ...iteration(1, { tests: failed }, "same"), ...iteration(2, {}, "same")],
      carried(1),
    ],
    [
      "carries the baseline's verdict over",
      [...iteration(0, { tests: failed }, "same"), ...iteration(1, {}, "same")],
      carried(0),
    ],
    [
      "judges when the files have changed",
      [...iteration(0, { tests: failed }, "one"), ...iteration(1, {}, "two")],
      undefined,
    ],
    [
      "judges files that equal an older snapshot than the last judged one",
      [
        ...iteration(0, { tests: "passed" }, "one"),
        ...iteration(1, { tests: failed }, "two"),
        ...iteration(2, {}, "one"),
      ],
      undefined,
    ],
    [
      "judges again after an errored verdict",
      [...iteration(0, { tests: "errored" }, "same"), ...iteration(1, {}, "same")],
      undefined,
    ],
    [
      "looks past skipped and waiting verdicts",
      [
        ...iteration(0, { tests: failed }, "same"),
        ...iteration(1, { tests: "skipped" }, "same"),
        ...iteration(2, { tests: "waiting" }, "same"),
        ...iteration(3, {}, "same"),
      ],
      carried(0),
    ],
    [
      "names the iteration that judged, even if the verdict was carried before",
      [
        ...iteration(0, { tests: failed }, "same"),
        ...iteration(1, { tests: { ...failed, carriedFrom: 0 } }, "same"),
        ...iteration(2, {}, "same"),
      ],
      carried(0),
    ],
    [
      "does not carry its own verdict over to the same iteration",
      [...iteration(0, {}), ...iteration(1, { tests: failed }, "same")],
      undefined,
    ],
  ])("%s", (_, events, expected) => {
    const run = runAfter(events, { gates: [onChange] });
    const found = verdictWithoutJudging(run, latest(run), onChange);
    expect(found).toEqual(expected && exampleVerdict(expected));
  });
});

describe("the backoff before a gate judges again", () => {
  const backoff = { delayMs: 1_000, factor: 3, maxMs: 5_000 };
  const slow = gateWith("tests", { onFailure: { backoff } });
  const red: Verdicts = { tests: "failed" };
  const green: Verdicts = { tests: "passed" };

  it.each<[string, GateSpec, readonly Verdicts[], number]>([
    ["is zero without a policy", tests, [red, red, red, {}], 0],
    ["is zero for the first attempt, regardless of the baseline", slow, [red, {}], 0],
    ["is the delay after one failure", slow, [red, red, {}], 1_000],
    ["grows by the factor", slow, [red, red, red, {}], 3_000],
    ["stays below its maximum", slow, [red, red, red, red, {}], 5_000],
    ["resets after a success", slow, [red, red, red, green, {}], 0],
    ["counts a gate that could not judge", slow, [red, { tests: "errored" }, {}], 1_000],
    ["does not count the current iteration", slow, [red, red], 0],
  ])("%s", (_, gate, iterations, expected) => {
    expect(gateBackoffMs(runWith({ gates: [gate] }, ...iterations), gate)).toBe(expected);
  });
});

describe("a gate whose policy is to stop", () => {
  const stops = gateWith("lint", { onFailure: { action: "stop" } });

  it.each<[string, Verdicts, string | undefined]>([
    ["ends the run when it failed", { lint: "failed" }, "gate lint failed, and its policy is to stop"],
    ["ends the run when it errored", { lint: "errored" }, "gate lint errored, and its policy is to stop"],
    ["does not end the run when it passed", { lint: "passed" }, undefined],
    ["does not end the run when it was skipped", { lint: "skipped" }, undefined],
    ["does not end the run when it waits", { lint: "waiting" }, undefined],
    ["does not end the run for another gate", { tests: "failed" }, undefined],
  ])("%s", (_, verdicts, expected) => {
    const run = runWith({ gates: [tests, stops] }, {}, verdicts);
    expect(stopReason(run, latest(run))).toBe(expected);
  });

  it("does not end the run for pre-existing failures with ignorePreexisting", () => {
    const known: Partial<Verdict> = {
      status: "failed",
      tests: { total: 2, passed: 1, failed: 1, skipped: 0 },
      failures: [{ id: "old", message: "no" }],
    };
    const run = runWith({ gates: [stops], ignorePreexisting: true }, { lint: known }, { lint: known });
    expect(stopReason(run, latest(run))).toBeUndefined();
  });
});

describe("a gate with a maximum of attempts", () => {
  const twice = gateWith("tests", { onFailure: { maxAttempts: 2 } });
  const red: Verdicts = { tests: "failed" };
  const reached = "gate tests failed 2 times in a row, which is its maximum";

  it.each<[string, GateSpec, readonly Verdicts[], string | undefined]>([
    ["has no limit by default", tests, [red, red, red], undefined],
    ["is not exhausted by fewer failures", twice, [red, red], undefined],
    ["is exhausted when it failed that often", twice, [red, red, red], reached],
    ["counts a gate that could not judge", twice, [{}, red, { tests: "errored" }], reached],
    ["resets the count after a success", twice, [{}, red, { tests: "passed" }, red], undefined],
    ["does not count iterations that it did not judge", twice, [{}, red, {}, red], reached],
    ["does not count the baseline", twice, [red, red], undefined],
  ])("%s", (_, gate, iterations, expected) => {
    expect(exhaustedReason(runWith({ gates: [gate] }, ...iterations))).toBe(expected);
  });
});

describe("a gate that escalates", () => {
  const escalates = gateWith("tests", { onFailure: { action: "escalate" } });
  const failed: Verdicts = { tests: { status: "failed", summary: "2 tests failed" }, lint: "failed" };

  it.each<[string, Verdicts, readonly EventBody[], readonly object[]]>([
    ["escalates when it failed", failed, [], [{ gate: "tests", reason: "2 tests failed" }]],
    ["does not escalate when it passed", { tests: "passed", lint: "failed" }, [], []],
    [
      "escalates once per iteration",
      failed,
      [{ type: "gate.escalated", iteration: 1, gate: "tests", reason: "2 tests failed" }],
      [],
    ],
  ])("%s", (_, verdicts, more, expected) => {
    const run = runAfter([...iteration(0, {}), ...iteration(1, verdicts), ...more], {
      gates: [escalates, lint],
    });
    expect(escalations(run, latest(run))).toEqual(expected);
  });
});

describe("gates that wait for a person", () => {
  const gates = [tests, exampleGate("review"), exampleGate("legal")];
  const review = { status: "waiting", summary: "ask ann", until: "2026-06-02T00:00:00.000Z" } as const;
  const legal = { status: "waiting", summary: "ask ben", until: "2026-06-01T00:00:00.000Z" } as const;

  it.each<[string, Partial<Task>, Verdicts, object | undefined]>([
    ["are none when all have judged", { gates: [tests] }, { tests: "passed" }, undefined],
    [
      "are all that wait, with the earliest deadline",
      { gates },
      { tests: "passed", review, legal },
      {
        reason: "review: ask ann; legal: ask ben",
        gates: ["review", "legal"],
        until: "2026-06-01T00:00:00.000Z",
      },
    ],
    [
      "have no deadline when none was given",
      { gates },
      { tests: "passed", review: { status: "waiting", summary: "ask ann" }, legal: "passed" },
      { reason: "review: ask ann", gates: ["review"] },
    ],
    ["are ignored while a required gate is red", { gates }, { tests: "failed", review, legal }, undefined],
    [
      "are ignored when they are not required",
      { gates, until: ["tests"] },
      { tests: "passed", review, legal },
      undefined,
    ],
    [
      "are found although a gate that is not required is red",
      { gates, until: ["review"] },
      { tests: "failed", review, legal },
      { reason: "review: ask ann", gates: ["review"], until: "2026-06-02T00:00:00.000Z" },
    ],
  ])("%s", (_, task, verdicts, expected) => {
    const run = runWith(task, {}, verdicts);
    expect(findWaiting(run, latest(run))).toEqual(expected);
  });
});
