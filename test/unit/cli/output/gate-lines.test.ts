import { describe, expect, it } from "vitest";
import { verdictRows } from "#cli/output/gate-lines";
import { render } from "#cli/output/spans";
import { createStyle } from "#cli/output/style";
import type { Failure, Verdict, VerdictStatus } from "#spec/verdict";
import { exampleRun, exampleVerdict } from "#testing/run";

const screen = { style: createStyle({ color: false, unicode: true }), columns: 100 };

function shown(message: string, more: Partial<Failure> = {}): string[] {
  const verdict = exampleVerdict({ summary: "exit code 1", failures: [{ message, ...more }] });
  return verdictRows({ gate: "lint", verdict }, exampleRun([{}]), screen).map((parts) =>
    render(parts, screen),
  );
}

describe("a failing test", () => {
  const id = "adds";

  it("shows the first line of its message", () => {
    expect(shown("it broke\nsomewhere", { id }).at(-1)).toBe("      adds  it broke");
  });

  it("shows the expected and the actual value", () => {
    const row = shown("not equal:", { id, location: "a.test.js:3", expected: "3\n", actual: "2" }).at(-1);
    expect(row).toBe("      adds  a.test.js:3  expected 3, got 2");
  });
});

describe("failing tests with long names", () => {
  const names = ["chunked", "gzip", "identity", "absent"].map(
    (end) => `test/res.send.js > res > .send(body) > sets the length, also if Transfer-Encoding is ${end}`,
  );
  const failures = names.map((id) => ({ id, message: "expected 200", location: "test/res.send.js:12" }));
  const verdict = exampleVerdict({
    tests: { total: 1635, passed: 1593, failed: 17, skipped: 25 },
    failures,
  });
  const rows = verdictRows({ gate: "tests", verdict }, exampleRun([{}]), screen);
  const lines = rows.map((parts) => render(parts, screen));

  it("stay distinct when shortened, with location and message", () => {
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines[1]).toBe(
      "      test/res.sen…also if Transfer-Encoding is chunked  test/res.send.js:12  expected 200",
    );
  });

  it("are counted against the number of tests that ran", () => {
    expect(lines[0]).toContain("1593/1610");
    expect(lines.at(-1)).toBe("      +13 more");
  });
});

describe("a compiler error", () => {
  it("is shown once, with its location", () => {
    const id = "src/a.ts: TS2304 Cannot find name 'x'.";
    const row = shown("TS2304 Cannot find name 'x'.\n  3 | x", { id, location: "src/a.ts:3" }).at(-1);
    expect(row).toBe("      TS2304 Cannot find name 'x'.  src/a.ts:3");
  });
});

describe("a failure without a test", () => {
  it("does not repeat the summary", () => {
    expect(shown("exit code 1")).toHaveLength(1);
  });

  it("shows the first error of the output", () => {
    const output = "./check.sh\nok 2000\nFAIL 1900: want no, got yes\nFAIL 2100: want no, got yes\nok 1996";
    expect(shown(`exit code 1\n${output}`).at(-1)).toBe("      FAIL 1900: want no, got yes");
  });

  it("shows the last line when none looks like an error, and skips make's own error line", () => {
    const output = "one\ntwo\nmake: *** [Makefile:6: test] Error 1";
    expect(shown(`exit code 1\n${output}`).at(-1)).toBe("      two");
  });
});

describe("a gate that ran several times", () => {
  const attempts = (...statuses: readonly VerdictStatus[]) =>
    statuses.map((status) => ({ status, summary: `it ${status}` }));
  const rows = (parts: Partial<Verdict>) =>
    verdictRows({ gate: "lint", verdict: exampleVerdict(parts) }, exampleRun([{}]), screen).map((row) =>
      render(row, screen),
    );

  it("is marked flaky with every outcome when the results differ", () => {
    const mixed = attempts("passed", "failed", "passed");
    expect(rows({ status: "passed", summary: "2 of 3 runs passed", attempts: mixed })).toEqual([
      "  ✔ lint   ! FLAKY  2 of 3 runs passed  1s",
      "      ✔ run 1  it passed",
      "      ✘ run 2  it failed",
      "      ✔ run 3  it passed",
    ]);
  });

  it("shows one line when all results agree", () => {
    const same = attempts("passed", "passed");
    expect(rows({ status: "passed", summary: "2 of 2 runs passed", attempts: same })).toEqual([
      "  ✔ lint   2 of 2 runs passed  1s",
    ]);
  });
});
