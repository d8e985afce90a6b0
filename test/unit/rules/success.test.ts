import { describe, expect, it } from "vitest";
import { isSuccess, redGates, succeeded } from "#rules/success";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { Verdict, VerdictStatus } from "#spec/verdict";
import { type ExampleIteration, exampleGate, exampleRun, exampleVerdict } from "#testing/run";

const two = { gates: [exampleGate("tests"), exampleGate("lint")] };

function latestHolds(run: Run): boolean {
  return isSuccess(run, run.iterations.at(-1)!);
}

describe("the wanted gates pass", () => {
  const cases: [string, Partial<Task>, ExampleIteration["status"], boolean][] = [
    ["when every gate passed", two, "passed", true],
    ["not when one failed", two, { tests: "passed", lint: "failed" }, false],
    ["not when one errored", two, { tests: "passed", lint: "errored" }, false],
    ["not when one waits", two, { tests: "passed", lint: "waiting" }, false],
    ["not when one was not judged", two, { tests: "passed" }, false],
    ["when one passed and one was skipped", two, { tests: "passed", lint: "skipped" }, true],
    ["not when all were skipped", two, "skipped", false],
    ["not when there are no gates", { gates: [] }, {}, false],
    ["when the wanted one passed", { ...two, until: ["tests"] }, { tests: "passed", lint: "failed" }, true],
    [
      "not when the wanted one failed",
      { ...two, until: ["lint"] },
      { tests: "passed", lint: "failed" },
      false,
    ],
    ["not when the wanted one is unknown", { ...two, until: ["other"] }, "passed", false],
  ];

  it.each(cases)("%s", (_, task, status, expected) => {
    expect(latestHolds(exampleRun([{ status: status ?? "failed" }], { task }))).toBe(expected);
  });

  it("uses the newest verdict of a gate that was judged twice", () => {
    const judged = (status: VerdictStatus) => ({ gate: "tests", verdict: exampleVerdict({ status }) });
    expect(latestHolds(exampleRun([{ verdicts: [judged("waiting"), judged("passed")] }]))).toBe(true);
    expect(latestHolds(exampleRun([{ verdicts: [judged("passed"), judged("failed")] }]))).toBe(false);
  });

  it("redGates names the gates that prevent success", () => {
    const run = exampleRun([{ status: { tests: "skipped", lint: "errored" } }], { task: two });
    expect(redGates(run, run.iterations[0]!)).toEqual(["lint"]);
  });
});

describe("pre-existing failures", () => {
  const failing = (ids: readonly (string | undefined)[], parts: Partial<Verdict> = {}): Verdict =>
    exampleVerdict({
      status: "failed",
      failures: ids.map((id) => ({ message: "broken", ...(id === undefined ? {} : { id }) })),
      tests: { total: 10, passed: 10 - ids.length, failed: ids.length, skipped: 0 },
      ...parts,
    });
  const judged = (verdict: Verdict): ExampleIteration => ({ verdicts: [{ gate: "tests", verdict }] });
  const run = (before: Verdict, after: Verdict, ignorePreexisting = true) =>
    exampleRun([judged(after)], { task: { ignorePreexisting }, baseline: judged(before) });
  const { tests: _, ...withoutTests } = failing(["a"]);

  const cases: [string, Verdict, Verdict, boolean][] = [
    ["are excused", failing(["a", "b"]), failing(["a"]), true],
    [
      "are excused when they are named after the time or a temporary folder",
      failing(["at 12:00:01", "in /tmp/a1/x"]),
      failing(["at 12:34:56", "in /tmp/b2/x"]),
      true,
    ],
    [
      "do not excuse a second failure whose normalised id is the same",
      failing(["at 12:00:01"]),
      failing(["at 12:34:56", "at 12:34:57"]),
      false,
    ],
    ["do not excuse a new one", failing(["a"]), failing(["a", "c"]), false],
    ["do not excuse a failure without id", failing(["a", undefined]), failing(["a", undefined]), false],
    ["do not excuse a failure with an empty id", failing(["", "a"]), failing(["", "a"]), false],
    ["do not excuse failures that are not tests", failing(["a"]), withoutTests, false],
    [
      "are excused where the runner counts packages only",
      failing(["a"]),
      { ...withoutTests, packages: 2 },
      true,
    ],
    [
      "do not excuse failures that are not listed",
      failing(["a"]),
      failing(["a"], { tests: { total: 9, passed: 7, failed: 2, skipped: 0 } }),
      false,
    ],
    ["do not excuse a failed gate without failures", failing(["a"]), failing([]), false],
    ["do not excuse a gate that errored", failing(["a"]), failing(["a"], { status: "errored" }), false],
    [
      "excuse nothing when the baseline was green",
      exampleVerdict({ status: "passed" }),
      failing(["a"]),
      false,
    ],
  ];

  it.each(cases)("%s", (_title, before, after, expected) => {
    expect(latestHolds(run(before, after))).toBe(expected);
  });

  it("count unless the task ignores them", () => {
    expect(latestHolds(run(failing(["a"]), failing(["a"]), false))).toBe(false);
  });

  it("do not make the baseline pass", () => {
    const started = run(failing(["a"]), failing(["a"]));
    expect(isSuccess(started, started.baseline)).toBe(false);
  });
});

describe("with requirePromise, a run has succeeded", () => {
  const required = { requirePromise: true, promise: "ALL GREEN" };
  const given = "Finished.\n\n<promise>all green</promise>";
  const cases: [string, Partial<Task>, ExampleIteration, boolean][] = [
    ["when the gates hold and the promise is given", two, { status: "passed", message: given }, true],
    ["not without the promise", two, { status: "passed", message: "Finished." }, false],
    ["not with another promise", two, { status: "passed", message: "<promise>DONE</promise>" }, false],
    ["not while a gate is red", two, { status: "failed", message: given }, false],
    ["by the promise alone when there are no gates", { gates: [] }, { message: given }, true],
    ["not by a bare signal word when there are no gates", { gates: [] }, { message: "DONE" }, false],
    ["not by an agent that failed", { gates: [] }, { message: given, ok: false }, false],
  ];

  it.each(cases)("%s", (_, task, iteration, expected) => {
    const run = exampleRun([iteration], { task: { ...required, ...task } });
    expect(succeeded(run, run.iterations.at(-1)!)).toBe(expected);
  });
});
