import { describe, expect, it } from "vitest";
import { cautionsOf } from "#rules/cautions";
import type { Judged, Run } from "#spec/run";
import type { Protection } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { exampleGate, exampleTask, exampleVerdict } from "#testing/run";

const GATE = exampleGate("make");
const RED = exampleVerdict({ status: "failed", score: 0 });
const FOUND: Protection = { path: "converge.yaml", grows: false, reason: "the task itself" };
const TEST: Protection = { path: "tests/**", grows: true, ignored: "free", reason: "folder of tests" };

function cautions(paths: readonly Protection[] | undefined, verdict: Verdict, gates = [GATE]) {
  const protect = paths && { paths, action: "restore" as const };
  const { protect: _, ...rest } = exampleTask({ gates });
  const verdicts: Judged[] = gates.map(({ name }) => ({ gate: name, verdict }));
  const baseline = { number: 0, verdicts } as unknown as Run["baseline"];
  const task = { ...rest, ...(protect && { protect }) };
  return cautionsOf({ task, baseline, iterations: [] as Run["iterations"] } as Run).map(
    (text) => text.split(":")[0],
  );
}

const TESTS = { passed: 1, failed: 1, skipped: 0, total: 2 };

describe("cautions of a run", () => {
  it.each<[string, readonly Protection[] | undefined, Verdict, string[]]>([
    [
      "warns when no tests are protected and no test results are recognised",
      [FOUND],
      RED,
      ["no tests are protected", "no test results were recognised"],
    ],
    ["warns when nothing is protected", undefined, { ...RED, tests: TESTS }, ["no tests are protected"]],
    ["is silent when detected tests are protected", [FOUND, TEST], { ...RED, tests: TESTS }, []],
    [
      "is silent when the task names the tests",
      [{ path: "t/**", grows: true }],
      { ...RED, tests: TESTS },
      [],
    ],
    [
      "is silent when tests inside source files are protected",
      [{ path: "**/*.rs", part: { kind: "rust-tests" }, grows: true, reason: "tests inside a source file" }],
      { ...RED, failures: [{ id: "adds", message: "" }] },
      [],
    ],
    ["is silent when the gate passes", [TEST], { ...RED, status: "passed", score: 1 }, []],
  ])("%s", (_, paths, verdict, expected) => {
    expect(cautions(paths, verdict)).toEqual(expected);
  });

  it("is silent without gates", () => {
    expect(cautions(undefined, RED, [])).toEqual([]);
  });
});
