import { describe, expect, it } from "vitest";
import { failingCount } from "#rules/best-iteration";
import { compareFailing } from "#rules/failing-tests";
import type { Iteration } from "#spec/run";
import { exampleRun, exampleVerdict } from "#testing/run";
import { detailBeyondId } from "#text/failure-detail";

const diagnostics = (...ids: string[]) => ids.map((id) => ({ id, message: "wrong" }));
const tests = (passed: number, failed: number) => ({ passed, failed, skipped: 0, total: passed + failed });
const linted = (...ids: string[]) => exampleVerdict({ tests: tests(9, 0), failures: diagnostics(...ids) });

describe("linter errors after all tests passed", () => {
  it("are counted, so that fewer errors are progress", () => {
    expect(compareFailing(linted("a", "b", "c"), linted("c"))).toEqual({ before: 3, now: 1 });
    const run = exampleRun([{ verdicts: [{ gate: "tests", verdict: linted("a", "b") }] }]);
    expect(failingCount(run.iterations[0] as Iteration)).toBe(2);
  });

  it("are not compared with failing tests", () => {
    const failing = exampleVerdict({ tests: tests(5, 4), failures: diagnostics("t1", "t2", "t3", "t4") });
    expect(compareFailing(failing, linted("a", "b"))).toBeUndefined();
    expect(compareFailing(linted("a", "b"), failing)).toBeUndefined();
  });
});

describe("detailBeyondId", () => {
  it.each([
    ["a.ts: TS1 wrong  type", "TS1 wrong  type\n  3 | x", "  3 | x"],
    ["a.ts: TS1 wrong (2)", "TS1 wrong", ""],
    ["adds", "expected 1\nto be 2", "expected 1\nto be 2"],
    [undefined, "exit code 1", "exit code 1"],
  ])("removes the id %j from the message %j", (id, message, detail) => {
    const failure = { ...(id !== undefined && { id: id.replace(/ +/g, " ") }), message };
    expect(detailBeyondId(failure)).toBe(detail);
  });
});
