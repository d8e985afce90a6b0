import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type CommandGateOptions, command } from "#gates/command";
import type { Verdict } from "#spec/verdict";
import { gateConformance } from "#testing/gate";
import { exampleRequest, exampleRun, exampleVerdict } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { folders, numbersIn, write } from "../../support/folders.ts";
import { isAlive } from "../../support/processes.ts";

const grace = { interruptMs: 100, terminateMs: 100 };
const failing = "printf 'TAP version 13\\n1..2\\nok 1 - adds\\nnot ok 2 - subtracts\\n'; exit 1";

gateConformance(
  "the command gate",
  {
    folders,
    passes: () => command("tests", { command: "echo fine" }),
    fails: () => command("tests", { command: failing }),
    errors: () => command("tests", { command: "no-such-tool-anywhere" }),
    hangs: () => command("tests", { command: "sleep 1000", grace }),
  },
  { describe, it, expect },
);

interface Judging extends CommandGateOptions {
  readonly in?: { dir: string; files: string };
  /** Earlier verdicts of the gate: first the baseline, then each iteration. */
  readonly before?: readonly Partial<Verdict>[];
  /** Replaces the whole environment of the process. */
  readonly whole?: Readonly<Record<string, string>>;
  readonly iteration?: number;
}

const withVerdict = (parts: Partial<Verdict>) => ({
  verdicts: [{ gate: "tests", verdict: exampleVerdict(parts) }],
});

async function judge({
  in: places = folders(),
  before = [],
  whole,
  iteration = 2,
  ...options
}: Judging): Promise<Verdict> {
  const [baseline, ...iterations] = before;
  const past = exampleRun(iterations.map(withVerdict), baseline ? { baseline: withVerdict(baseline) } : {});
  const run = { ...past, id: uniqueRun() };
  const request = exampleRequest({ run, iteration, ...places, ...(whole && { env: whole }) });
  return command("tests", { grace, ...options }).judge(request, new AbortController().signal);
}

const junit = (passed: number, failed = 0) => {
  const cases = [
    ...Array.from({ length: passed }, (_, index) => `<testcase classname="suite" name="good ${index}"/>`),
    ...Array.from(
      { length: failed },
      (_, index) => `<testcase classname="suite" name="bad ${index}"><failure message="no"/></testcase>`,
    ),
  ];
  return `<testsuites><testsuite name="suite">${cases.join("")}</testsuite></testsuites>`;
};

describe("the exit code", () => {
  it("decides when no tests are recognised", async () => {
    expect(await judge({ command: "exit 0" })).toMatchObject({
      status: "passed",
      score: 1,
      summary: "exit code 0",
    });
    expect(await judge({ command: "echo why; exit 3" })).toMatchObject({
      status: "failed",
      score: 0,
      summary: "exit code 3",
      failures: [{ message: "exit code 3\nwhy" }],
      evidence: { command: "echo why; exit 3", exitCode: 3, stdout: "why\n", stderr: "" },
    });
  });

  it.each([3, 126, 127, 130, 255])("may be expected to be %i", async (exitCode) => {
    expect(await judge({ command: `exit ${exitCode}`, exitCode })).toMatchObject({ status: "passed" });
    expect(await judge({ command: "exit 0", exitCode })).toMatchObject({
      status: "failed",
      summary: `exit code 0, expected ${exitCode}`,
    });
  });

  it("does not turn a failed test into a pass", async () => {
    expect(await judge({ command: failing.replace("exit 1", "exit 0") })).toMatchObject({
      status: "failed",
      score: 0.5,
      tests: { total: 2, passed: 1, failed: 1, skipped: 0 },
      failures: [{ id: "subtracts" }],
    });
  });

  it("fails the gate even if all tests passed", async () => {
    const { status, score } = await judge({ command: failing.replace("not ok", "ok") });
    expect(status).toBe("failed");
    expect(score).toBeLessThan(1);
  });
});

describe("a command that fails without failing tests", () => {
  const fixture = (name: string) =>
    fileURLToPath(new URL(`../../fixtures/diagnostics/${name}.txt`, import.meta.url));
  const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

  it("lists compiler errors as failures with their locations", async () => {
    const places = folders();
    write(places.dir, {
      "app/a.ts": "export const a: string = 1;\n\nexport const b: number = missing;\n",
      "app/b.ts": 'import { a } from "./a";\nexport const c: number = a;\n',
    });
    const verdict = await judge({ in: places, command: `node '${tsc}' --noEmit a.ts b.ts`, cwd: "app" });
    expect(verdict).toMatchObject({
      status: "failed",
      score: 0,
      summary: "3 errors in 2 files (tsc); exit code 2",
      failures: [
        { id: "a.ts: TS2322 Type 'number' is not assignable to type 'string'.", location: "app/a.ts:1" },
        { id: "a.ts: TS2304 Cannot find name 'missing'.", location: "app/a.ts:3" },
        { id: "b.ts: TS2322 Type 'string' is not assignable to type 'number'.", location: "app/b.ts:2" },
      ],
    });
    expect(verdict.tests).toBeUndefined();
  });

  it("shows the compile error that keeps a test runner from running", async () => {
    expect(await judge({ command: `cat '${fixture("cargo-test")}' >&2; exit 101` })).toMatchObject({
      summary: "3 errors in 1 file (rustc); exit code 101",
      failures: [
        { location: "tests/test.rs:6" },
        {
          id: "tests/test.rs: E0308 mismatched types: expected `u32`, found `&str`",
          location: "tests/test.rs:4",
        },
        { location: "tests/test.rs:5" },
      ],
    });
  });

  it("lists linter errors when all tests passed", async () => {
    const passing = failing.replace("not ok", "ok").replace("exit 1", `cat '${fixture("eslint9")}'; exit 1`);
    expect(await judge({ command: passing })).toMatchObject({
      status: "failed",
      summary: "6 errors in 3 files (eslint); exit code 1",
      tests: { passed: 2, failed: 0 },
      failures: { length: 6 },
    });
  });

  it("ignores a stack trace printed by a passing test", async () => {
    const fails = `cat '${fixture("python-chain")}'; echo 'FAIL Required test coverage of 90% not reached'; exit 1`;
    const { summary, failures } = await judge({
      command: failing.replace("not ok", "ok").replace("exit 1", fails),
    });
    expect(summary).toBe("exit code 1");
    expect(failures).toMatchObject([{ message: expect.stringContaining("coverage of 90% not reached") }]);
    expect(failures[0]).not.toHaveProperty("id");
  });

  it("ignores linter errors when tests failed", async () => {
    const command = failing.replace("exit 1", `cat '${fixture("eslint9")}'; exit 1`);
    expect((await judge({ command })).failures).toMatchObject([{ id: "subtracts" }]);
  });

  it("adds the output to the failure of a crash", async () => {
    const places = folders();
    write(places.dir, {
      "check.js": 'console.log("case 7: want 3, got 4");\nthrow new Error("1 case is wrong");\n',
    });
    const { failures } = await judge({ in: places, command: ["node", "check.js"] });
    expect(failures).toMatchObject([
      { id: "check.js: Error: 1 case is wrong", location: "check.js:2" },
      { message: expect.stringContaining("case 7: want 3, got 4") },
    ]);
  });

  it("reports the exit code and an excerpt of unrecognised output as one failure", async () => {
    const places = folders();
    const lines = Array.from({ length: 100 }, (_, at) => `echo 'FAIL case ${at}: want ${at}, got ${at + 1}'`);
    write(places.dir, { "check.sh": ["echo starting", ...lines, "exit 2", ""].join("\n") });
    const { summary, failures } = await judge({ in: places, command: "sh ./check.sh" });
    expect(summary).toBe("exit code 2");
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toMatch(/^exit code 2\nstarting\nFAIL case 0: want 0, got 1\nFAIL case 1:/);
    expect(failures[0]?.message).toMatch(/FAIL case 99: want 99, got 100$/);
  });

  it("ignores compiler warnings when something else failed", async () => {
    const warned =
      "echo \"a.c:4:7: warning: unused variable 'x'\" >&2; echo 'FAIL 1900: want no, got yes'; exit 1";
    expect(await judge({ command: warned })).toMatchObject({
      summary: "exit code 1",
      failures: [{ message: expect.stringContaining("FAIL 1900: want no, got yes") }],
    });
  });
});

describe("a command that breaks", () => {
  it.each([
    ["a missing tool", { command: "no-such-tool-anywhere" }, /command not found/],
    ["a missing program", { command: ["no-such-tool-anywhere"] }, /command not found/],
    ["a file that is not executable", { command: ["/etc/passwd"] }, /cannot be executed/],
  ])("is errored: %s", async (_, options, summary) => {
    const verdict = await judge(options);
    expect(verdict).toMatchObject({ status: "errored", score: 0 });
    expect(verdict.summary).toMatch(summary);
  });

  it.each([
    ["a missing folder", { command: "true", cwd: "no/such/folder" }, /could not be started: .*is gone/],
    ["a timeout", { command: "sleep 1000", timeoutMs: 200 }, /timed out after 0.2 s/],
  ])("is errored at the baseline and failed in later iterations: %s", async (_, options, summary) => {
    const [baseline, later] = [await judge({ ...options, iteration: 0 }), await judge(options)];
    expect(baseline).toMatchObject({
      status: "errored",
      score: 0,
      summary: expect.stringMatching(summary),
    });
    expect(later).toMatchObject({ status: "failed", score: 0, summary: expect.stringMatching(summary) });
  });

  it("fails with its output after a crash", async () => {
    const verdict = await judge({ command: "echo boom >&2; kill -SEGV $$", iteration: 0 });
    expect(verdict).toMatchObject({ status: "failed", score: 0 });
    expect(verdict.summary).toMatch(/crashed/);
    expect(verdict.failures[0]?.message).toContain("boom");
  });

  it("does not pass after a timeout, even if every test had passed", async () => {
    const command = "printf 'TAP version 13\\n1..1\\nok 1 - adds\\n'; sleep 1000";
    const verdict = await judge({ command, timeoutMs: 300, iteration: 0 });
    expect(verdict).toMatchObject({ status: "errored", score: 0, evidence: { timedOut: true } });
    expect((await judge({ command, timeoutMs: 300 })).status).toBe("failed");
  });
});

describe("the number of tests", () => {
  const tap = (tests: number) => [
    "TAP version 13",
    `1..${tests}`,
    ...Array.from({ length: tests }, (_, index) => `ok ${index + 1} - t${index}`),
  ];
  const printing = (tests: number) =>
    `printf '%s\\n' ${tap(tests)
      .map((line) => `'${line}'`)
      .join(" ")}`;

  it("must reach the minimum", async () => {
    expect(await judge({ command: printing(3), minTests: 3 })).toMatchObject({ status: "passed" });
    expect(await judge({ command: printing(2), minTests: 3 })).toMatchObject({
      status: "failed",
      summary: "ran 2 tests, expected at least 3",
    });
  });

  it("must be known when there is a minimum", async () => {
    expect(await judge({ command: "echo all good", minTests: 1 })).toMatchObject({
      status: "failed",
      summary: "no test results were recognised, but at least 1 test must run",
    });
  });

  describe("is compared with the first count in the run", () => {
    const counts = (ran: number, skipped = 0, extra?: number) => ({
      tests: {
        total: ran + skipped,
        passed: ran - (extra ?? 0),
        failed: extra ?? 0,
        skipped,
        ...(extra && { extra }),
      },
    });

    it.each([undefined, "baseline" as const])("with minTests: %s", async (minTests) => {
      const options = { ...(minTests && { minTests }), before: [counts(6), counts(2)] };
      expect(await judge({ command: printing(6), ...options })).toMatchObject({ status: "passed" });
      expect(await judge({ command: printing(7), ...options })).toMatchObject({ status: "passed" });
      expect(await judge({ command: printing(3), ...options })).toMatchObject({
        status: "failed",
        score: 0.5,
        summary: "ran 3 tests, but the baseline ran 6 tests (if fewer tests are expected, set minTests)",
      });
    });

    it("and fails when tests are skipped instead of run", async () => {
      const command = "printf 'TAP version 13\\n1..2\\nok 1 - a\\nok 2 - b # SKIP\\n'";
      expect((await judge({ command, before: [counts(2)] })).summary).toBe(
        "ran 1 test, but the baseline ran 2 tests (if fewer tests are expected, set minTests), 1 skipped",
      );
      expect((await judge({ command, before: [counts(1, 1)] })).status).toBe("passed");
    });

    it("and a drop is reported in addition to failing tests", async () => {
      const { failures } = await judge({ command: failing, before: [counts(3)] });
      expect(failures).toEqual([
        { message: expect.stringMatching(/^ran 2 tests, but the baseline ran 3 tests/) },
        { id: "subtracts", message: "failed" },
      ]);
    });

    it("and fails when results are no longer recognised", async () => {
      expect(await judge({ command: "echo all good", before: [counts(6)] })).toMatchObject({
        status: "failed",
        score: 0,
        summary:
          "no test results were recognised, but the baseline ran 6 tests (if none are expected, set minTests: 0)",
      });
      // A command that breaks before its tests fails by its exit code.
      expect((await judge({ command: "exit 2", before: [counts(6)] })).summary).toBe("exit code 2");
    });

    it("unless minTests is a number", async () => {
      const before = [counts(6)];
      expect((await judge({ command: printing(3), before, minTests: 2 })).status).toBe("passed");
      expect((await judge({ command: printing(1), before, minTests: 2 })).summary).toBe(
        "ran 1 test, expected at least 2",
      );
      expect((await judge({ command: "true", before, minTests: 0 })).status).toBe("passed");
    });

    it("or with the first iteration that has a count when the baseline has none", async () => {
      const errored = { status: "errored" as const };
      expect(
        (await judge({ command: printing(3), before: [errored, {}, counts(4), counts(9)] })).summary,
      ).toBe("ran 3 tests, but iteration 2 ran 4 tests (if fewer tests are expected, set minTests)");
      expect((await judge({ command: printing(3), before: [errored, errored] })).status).toBe("passed");
    });

    it("without counting failures outside of tests", async () => {
      expect((await judge({ command: printing(3), before: [counts(4, 0, 1)] })).status).toBe("passed");
      // A file that failed to load does not show how many tests it contains.
      expect((await judge({ command: printing(3), before: [counts(2, 0, 2), counts(4)] })).status).toBe(
        "failed",
      );
    });

    it("unless the runner does not count tests", async () => {
      const command = "printf 'ok  \\texample.com/p\\t0.1s\\n'";
      expect((await judge({ command, before: [counts(7)] })).status).toBe("passed");
    });

    it("by packages when the runner does not count tests", async () => {
      const passing = (...packages: string[]) =>
        `printf '${packages.map((name) => `ok  \\texample.com/${name}\\t0.1s\\n`).join("")}'`;
      const first = await judge({ command: passing("a", "b") });
      expect(first).toMatchObject({ status: "passed", summary: "all packages pass", packages: 2 });
      expect(first.tests).toBeUndefined();
      const before = [first];
      expect((await judge({ command: passing("a", "b", "c"), before })).status).toBe("passed");
      expect(await judge({ command: passing("a"), before })).toMatchObject({
        status: "failed",
        summary:
          "ran the tests of 1 package, but the baseline ran the tests of 2 packages (if fewer tests are expected, set minTests)",
      });
      expect((await judge({ command: "echo fine", before })).summary).toBe(
        "no test results were recognised, but the baseline ran the tests of 2 packages (if none are expected, set minTests: 0)",
      );
      expect((await judge({ command: passing("a"), minTests: 5 })).summary).toBe(
        "at least 5 tests must run, but go test does not count passing tests without -v",
      );
      expect((await judge({ command: passing("a"), before, minTests: 1 })).status).toBe("passed");
    });

    it("only for the same gate", async () => {
      const run = { ...exampleRun([], { baseline: withVerdict(counts(6)) }), id: uniqueRun() };
      const gate = command("others", { command: printing(3), grace });
      const verdict = await gate.judge(exampleRequest({ run, ...folders() }), new AbortController().signal);
      expect(verdict.status).toBe("passed");
    });
  });

  it("must be known when minTests is baseline", async () => {
    expect(await judge({ command: "echo all good", minTests: "baseline" })).toMatchObject({
      status: "failed",
    });
  });

  it("must not be zero when test output is recognised", async () => {
    expect(await judge({ command: "printf 'TAP version 13\\n1..0\\n'" })).toMatchObject({
      status: "failed",
      summary: "ran 0 tests",
    });
  });
});

describe("a runner that prints only failing tests", () => {
  const recorded = (name: string) =>
    fileURLToPath(new URL(`../../fixtures/runners/${name}`, import.meta.url));

  it("gives failures without counts", async () => {
    const command = `cat '${recorded("go-packages.stdout.txt")}'; cat '${recorded("go-packages.stderr.txt")}' >&2; exit 1`;
    const verdict = await judge({ command });
    expect(verdict).toMatchObject({
      status: "failed",
      score: 0,
      summary:
        "2 tests failed in 1 package, 1 package does not compile (go test does not count passing tests without -v); exit code 1",
    });
    expect(verdict.tests).toBeUndefined();
    expect(verdict.failures).toHaveLength(4);
  });
});

describe("automake test logs", () => {
  const block = ["TOTAL: 2", "PASS:  0", "SKIP:  0", "XFAIL: 0", "FAIL:  2", "XPASS: 0", "ERROR: 0"];
  const rule = "=".repeat(76);
  const printed = (log: string) =>
    [
      "FAIL: adds.test",
      "FAIL: words.test",
      rule,
      "Testsuite summary for demo 1.0",
      rule,
      ...block.map((line) => `# ${line}`),
      rule,
      `See ${log}`,
      rule,
      "",
    ].join("\n");
  const log = [
    "FAIL: adds",
    "==========",
    "",
    "Test #1: fine",
    "*** Expected 11, but got 10 for test at line 12",
    "FAIL adds.test (exit status: 1)",
    "",
    "FAIL: words",
    "===========",
    "",
    "want one",
    "",
  ].join("\n");
  const messages = async (where: string, files: Readonly<Record<string, string>>) => {
    const places = folders();
    write(places.dir, { output: printed(where), ...files });
    const { failures } = await judge({ in: places, command: "cat output; exit 2" });
    return failures.map(({ id, message }) => [id, message]);
  };

  it("provide the message of a failed test", async () => {
    expect(await messages("tests/test-suite.log", { "tests/test-suite.log": log })).toEqual([
      ["adds.test", "*** Expected 11, but got 10 for test at line 12"],
      ["words.test", "want one"],
    ]);
  });

  it("are not read outside of the workspace", async () => {
    const outside = folders();
    write(outside.dir, { "test-suite.log": log });
    expect(await messages(path.join(outside.dir, "test-suite.log"), {})).toEqual([
      ["adds.test", "failed"],
      ["words.test", "failed"],
    ]);
  });
});

describe("the report file", () => {
  it("is read when the command wrote it", async () => {
    const places = folders();
    write(places.files, { "report.xml": junit(3, 1) });
    const copy = `mkdir -p out && cp '${places.files}/report.xml' out/report.xml`;
    expect(await judge({ in: places, command: copy, report: "out/report.xml" })).toMatchObject({
      status: "failed",
      score: 0.75,
      tests: { total: 4, passed: 3, failed: 1, skipped: 0 },
    });
  });

  it("is ignored when it existed before the command ran", async () => {
    const places = folders();
    write(places.dir, { "report.xml": junit(5) });
    expect(await judge({ in: places, command: "true", report: "report.xml" })).toMatchObject({
      status: "failed",
      summary: "no test results were recognised, but at least 1 test must run",
    });
  });

  it("is read when the command rewrote it with the same content", async () => {
    const places = folders();
    write(places.dir, { "report.xml": junit(5) });
    const rewrite = "cp report.xml copy && sleep 0.05 && cat copy > report.xml";
    expect(await judge({ in: places, command: rewrite, report: "report.xml" })).toMatchObject({
      status: "passed",
    });
  });

  it("fails the gate when it is missing or not a report", async () => {
    expect(await judge({ command: "true", report: "report.xml" })).toMatchObject({ status: "failed" });
    expect(await judge({ command: "echo hello > report.xml", report: "report.xml" })).toMatchObject({
      status: "failed",
    });
    expect(await judge({ command: "mkfifo report.xml", report: "report.xml" })).toMatchObject({
      status: "failed",
    });
  });

  it.each([
    ["a symlink to a report outside", 'ln -s "$OUT/report.xml" report.xml'],
    ["a symlink to a report inside", 'cp "$OUT/report.xml" real.xml; ln -s real.xml report.xml'],
    ["a FIFO", "mkfifo report.xml"],
    ["a folder", "mkdir report.xml"],
  ])("is not read when it is %s", async (_, command) => {
    const places = folders();
    write(places.files, { "report.xml": junit(5) });
    const options = { in: places, command: `rm -rf report.xml; ${command}`, env: { OUT: places.files } };
    for (const report of ["report.xml", "report.*"])
      expect(await judge({ ...options, report })).toMatchObject({
        status: "failed",
        summary: "no test results were recognised, but at least 1 test must run",
      });
  });

  it("is not read through a folder symlinked out of the workspace or below a plain file", async () => {
    const places = folders();
    write(places.files, { "out/report.xml": "" });
    const outside = path.join(places.files, "out");
    fs.symlinkSync(outside, path.join(places.dir, "out"));
    write(places.files, { "report.xml": junit(5) });
    const command = `cp '${places.files}/report.xml' '${outside}/report.xml'`;
    for (const report of ["out/report.xml", "out/*.xml"])
      expect((await judge({ in: places, command, report })).status).toBe("failed");
    write(places.dir, { file: "" });
    expect((await judge({ in: places, command: "true", report: "file/report.xml" })).status).toBe("failed");
  });

  it("may be a glob, which adds up all reports written in this run", async () => {
    const places = folders();
    write(places.files, { "one.xml": junit(2, 1), "two.xml": junit(3), "other.xml": "<coverage/>" });
    write(places.dir, { "build/old/TEST-old.xml": junit(50), "node_modules/p/build/TEST-x.xml": junit(9) });
    const command = `mkdir -p build/a/b && cp '${places.files}/one.xml' build/a/TEST-one.xml && cp '${places.files}/two.xml' build/a/b/TEST-two.xml && cp '${places.files}/other.xml' build/`;
    const options = { in: places, command };
    for (const report of ["build/**/*.xml", "./build/**/TEST-*.xml", "**/TEST-{one,two,old}.xml"])
      expect(await judge({ ...options, report })).toMatchObject({
        status: "failed",
        tests: { total: 6, passed: 5, failed: 1, skipped: 0 },
        failures: [{ id: "suite > bad 0" }],
      });
  });

  it.each([
    ["vitest-json.json", 11],
    ["jest-json.txt", 11],
    ["mocha-json.txt", 10],
    ["rspec-json.txt", 11],
    ["dotnet-mixed.trx", 6],
    ["phpunit-junit.xml", 11],
    ["go-json.txt", 13],
  ])("may be %s, with the same result as on stdout", async (name, total) => {
    const source = fileURLToPath(new URL(`../../fixtures/reports/${name}`, import.meta.url));
    const asFile = await judge({ command: `cp '${source}' out; exit 1`, report: "out" });
    const printed = await judge({ command: `cat '${source}'; exit 1` });
    expect(asFile.tests?.total).toBe(total);
    expect(printed.tests).toEqual(asFile.tests);
    expect(printed.failures).toEqual(asFile.failures);
  });

  it("is relative to cwd", async () => {
    const places = folders();
    fs.mkdirSync(path.join(places.dir, "app"));
    write(places.files, { "report.xml": junit(1) });
    const verdict = await judge({
      in: places,
      command: `cp '${places.files}/report.xml' .`,
      cwd: "app",
      report: "report.xml",
    });
    expect(verdict.status).toBe("passed");
  });
});

describe("running the command", () => {
  it("runs in the workspace, or in a folder of it, with its own variables", async () => {
    const places = folders();
    fs.mkdirSync(path.join(places.dir, "app"));
    const command =
      'test "$MINE" = "a b" && test "$CONVERGE_ITERATION" = 2 && test -n "$CONVERGE_RUN" && pwd';
    const { evidence } = await judge({ in: places, command, env: { MINE: "a b" }, cwd: "app" });
    expect(evidence).toMatchObject({ exitCode: 0, stdout: "app\n" });
  });

  it("uses the environment of the request, or of this process when there is none", async () => {
    const { PATH = "" } = process.env;
    const shown = async (options: Partial<Judging>) => {
      const { evidence } = await judge({ command: "env", ...options });
      return new Map(
        evidence.stdout
          ?.split("\n")
          .filter(Boolean)
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
    };
    const whole = await shown({ whole: { PATH, ONLY: "this" }, env: { MINE: "too" } });
    expect(whole.get("ONLY")).toBe("this");
    expect(whole.get("MINE")).toBe("too");
    expect(whole.get("CI")).toBe("1");
    expect(whole.get("CONVERGE_RUN")).toMatch(/^conformance-/);
    expect(whole.has("VITEST")).toBe(false);
    expect((await shown({})).get("VITEST")).toBe("true");
  });

  describe("prints English messages, and leaves the rest of the locale alone", () => {
    const { PATH = "" } = process.env;
    const localeOf = async (whole: Readonly<Record<string, string>>, env?: Record<string, string>) => {
      const command = "env | grep -E '^(LC_|LANG)' | sort";
      const { evidence } = await judge({ command, whole: { PATH, ...whole }, ...(env && { env }) });
      return evidence.stdout?.trim().split("\n");
    };

    it("when LANG and LANGUAGE are set", async () => {
      expect(await localeOf({ LANG: "de_DE.UTF-8", LANGUAGE: "de:fr", LC_TIME: "fr_FR.UTF-8" })).toEqual([
        "LANG=de_DE.UTF-8",
        "LC_MESSAGES=C.UTF-8",
        "LC_TIME=fr_FR.UTF-8",
      ]);
    });

    it("when LC_ALL overrides everything", async () => {
      expect(await localeOf({ LANG: "en_US.UTF-8", LC_TIME: "C", LC_ALL: "ja_JP.UTF-8" })).toEqual([
        "LANG=ja_JP.UTF-8",
        "LC_MESSAGES=C.UTF-8",
      ]);
    });

    it("unless the gate sets them itself", async () => {
      const own = { LC_ALL: "de_DE.UTF-8", LC_MESSAGES: "de_DE.UTF-8", LANGUAGE: "de" };
      expect(await localeOf({ LANG: "C" }, own)).toEqual([
        "LANG=C",
        "LANGUAGE=de",
        "LC_ALL=de_DE.UTF-8",
        "LC_MESSAGES=de_DE.UTF-8",
      ]);
    });
  });

  it("passes program and arguments without a shell", async () => {
    const verdict = await judge({ command: ["printf", "%s|", "two words", "$HOME"] });
    expect(verdict.evidence).toMatchObject({
      command: "printf %s| two words $HOME",
      stdout: "two words|$HOME|",
    });
  });

  it("writes the full output to log files and truncates it in the evidence", async () => {
    const places = folders();
    const { evidence } = await judge({ in: places, command: "seq 1 100000; echo oops >&2; exit 1" });
    expect(evidence.stdout?.length).toBeLessThan(4_100);
    expect(evidence.stdout).toMatch(/99999\n100000\n$/);
    expect(fs.readFileSync(path.join(places.files, "stdout.log"), "utf8")).toMatch(/^1\n2\n/);
    expect(fs.readFileSync(path.join(places.files, "stderr.log"), "utf8")).toBe("oops\n");
  });

  it("reads only the output of the latest command", async () => {
    const places = folders();
    expect((await judge({ in: places, command: failing })).tests?.failed).toBe(1);
    expect(await judge({ in: places, command: "echo fine" })).toMatchObject({
      status: "passed",
      evidence: { stdout: "fine\n" },
    });
  });

  it("kills background processes of the command", async () => {
    const places = folders();
    const verdict = await judge({
      in: places,
      command: "(setsid sh -c 'echo $$ > pid; sleep 1000' &); until test -s pid; do sleep 0.02; done",
    });
    expect(verdict.status).toBe("passed");
    const pids = numbersIn(path.join(places.dir, "pid"));
    expect(pids).toHaveLength(1);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe("a failing test", () => {
  it("has an id without workspace path, time and temporary folder", async () => {
    const names = () => {
      const places = folders();
      const output = `TAP version 13\\nnot ok 1 - ${places.dir}/test/a.js at $(date +%T.%N) in $(mktemp -d)\\n1..1\\n`;
      return judge({ in: places, command: `printf "${output}"; exit 1` });
    };
    const [one, other] = [await names(), await names()];
    expect(one.failures[0]?.id).toBe("test/a.js at <time> in <temp>");
    expect(other.failures[0]?.id).toBe(one.failures[0]?.id);
  });
});

describe("paths in a verdict", () => {
  const node = (file: string) =>
    [
      "TAP version 13",
      "not ok 1 - adds",
      "  ---",
      `  location: '${file}:3:1'`,
      "  failureType: 'testCodeFailure'",
      `  error: 'cannot read ${file}'`,
      "  code: 'ERR_TEST_FAILURE'",
      "  stack: |-",
      `    at file://${file}:7:3`,
      "  ...",
      "1..1",
      "# tests 1",
      "# pass 0",
      "# fail 1",
      "",
    ].join("\n");

  it("are relative to the workspace in locations, messages and output", async () => {
    const places = folders();
    const file = path.join(places.dir, "test/adds.test.js");
    write(places.files, { output: node(file) });
    const { failures, evidence } = await judge({
      in: places,
      command: `cat '${places.files}/output'; exit 1`,
    });
    expect(failures[0]?.location).toBe("test/adds.test.js:7");
    expect(JSON.stringify([failures, evidence.stdout])).not.toContain(places.dir);
    expect(failures[0]?.message).toContain("cannot read test/adds.test.js");
  });

  it("are relative to the workspace in unrecognised output", async () => {
    const places = folders();
    const lines = [
      `${places.dir}/src/a.ts(3,4): error`,
      `file://${places.dir}/src/b.ts:9:1`,
      `elsewhere: /data${places.dir}/c.ts ${places.dir}-other/d.ts`,
      `here: ${places.dir}`,
    ];
    write(places.files, { output: lines.join("\n") });
    const { failures } = await judge({ in: places, command: `cat '${places.files}/output'; exit 1` });
    expect(failures[0]?.message.split("\n").slice(1)).toEqual([
      "src/a.ts(3,4): error",
      "src/b.ts:9:1",
      `elsewhere: /data${places.dir}/c.ts ${places.dir}-other/d.ts`,
      `here: ${places.dir}`,
    ]);
  });

  it("are relative to the workspace in a report file", async () => {
    const places = folders();
    const where = path.join(places.dir, "test/a.py");
    write(places.files, {
      "report.xml": `<testsuite name="s"><testcase classname="c" name="n"><failure message="broken">${where}:12: AssertionError</failure></testcase></testsuite>`,
    });
    const command = `cp '${places.files}/report.xml' report.xml; exit 1`;
    const { failures } = await judge({ in: places, command, report: "report.xml" });
    expect(failures[0]?.location).toBe("test/a.py:12");
  });

  it("resolve Go packages and Java classes to their files", async () => {
    const places = folders();
    write(places.dir, {
      "math/math_test.go": "",
      "src/test/java/p/MathTest.java": "",
      go: "--- FAIL: TestA (0.00s)\n    math_test.go:8: no\nFAIL\nFAIL\texample.com/p/math\t0.1s\n",
      java: "[ERROR] p.MathTest.carries -- Time elapsed: 0 s <<< FAILURE!\nError: no\n\tat p.MathTest.carries(MathTest.java:14)\n\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n",
    });
    const placeIn = async (file: string) =>
      (await judge({ in: places, command: `cat ${file}; exit 1` })).failures[0]?.location;
    expect(await placeIn("go")).toBe("math/math_test.go:8");
    expect(await placeIn("java")).toBe("src/test/java/p/MathTest.java:14");
  });

  it("are converted from cwd to the workspace", async () => {
    const places = folders();
    write(places.dir, { "app/test/adds.test.js": "" });
    write(places.files, { output: node("test/adds.test.js").replaceAll("file://", "") });
    const options = { in: places, command: `cat '${places.files}/output'; exit 1` };
    expect((await judge({ ...options, cwd: "app" })).failures[0]?.location).toBe("app/test/adds.test.js:7");
    expect((await judge(options)).failures[0]?.location).toBe("test/adds.test.js:7");
  });
});
