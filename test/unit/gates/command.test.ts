import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandGateOptions, command } from "#gates/command";
import type { Verdict } from "#spec/verdict";
import { gateConformance } from "#testing/gate";
import { exampleRequest, exampleRun } from "#testing/run";
import { folders, isAlive, numbersIn, write } from "../../support/folders.ts";

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
}

async function judge({ in: places = folders(), ...options }: Judging): Promise<Verdict> {
  const run = { ...exampleRun([]), id: `gate-test-${process.pid}` };
  const request = exampleRequest({ run, iteration: 2, ...places });
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

  it.each([3, 126, 127, 130, 255])("may be expected to be another: %i", async (exitCode) => {
    expect(await judge({ command: `exit ${exitCode}`, exitCode })).toMatchObject({ status: "passed" });
    expect(await judge({ command: "exit 0", exitCode })).toMatchObject({
      status: "failed",
      summary: `exit code 0, expected ${exitCode}`,
    });
  });

  it("does not outvote a failed test", async () => {
    expect(await judge({ command: failing.replace("exit 1", "exit 0") })).toMatchObject({
      status: "failed",
      score: 0.5,
      tests: { total: 2, passed: 1, failed: 1, skipped: 0 },
      failures: [{ id: "subtracts" }],
    });
  });

  it("is not outvoted by tests that passed", async () => {
    const { status, score } = await judge({ command: failing.replace("not ok", "ok") });
    expect(status).toBe("failed");
    expect(score).toBeLessThan(1);
  });
});

describe("what is no verdict", () => {
  it.each([
    ["a missing tool", { command: "no-such-tool-anywhere" }, /command not found/],
    ["a missing program", { command: ["no-such-tool-anywhere"] }, /command not found/],
    ["a tool that may not be run", { command: ["/etc/passwd"] }, /cannot be executed/],
    ["a crash", { command: "kill -SEGV $$" }, /crashed/],
    ["a missing folder", { command: "true", cwd: "no/such/folder" }, /could not be started: .*is gone/],
    ["a timeout", { command: "sleep 1000", timeoutMs: 200 }, /timed out after 0.2 s/],
  ])("is errored, never a pass: %s", async (_, options, summary) => {
    const verdict = await judge(options);
    expect(verdict).toMatchObject({ status: "errored", score: 0 });
    expect(verdict.summary).toMatch(summary);
  });

  it("is errored although every test had passed before the time was up", async () => {
    const command = "printf 'TAP version 13\\n1..1\\nok 1 - adds\\n'; sleep 1000";
    expect(await judge({ command, timeoutMs: 300 })).toMatchObject({ status: "errored", score: 0 });
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
      summary: "ran 2 tests, fewer than 3",
    });
  });

  it("must be known when there is a minimum", async () => {
    expect(await judge({ command: "echo all good", minTests: 1 })).toMatchObject({
      status: "failed",
      summary: "no test results were recognised, and at least 1 tests must run",
    });
  });

  it("may not be zero where tests are recognised", async () => {
    expect(await judge({ command: "printf 'TAP version 13\\n1..0\\n'" })).toMatchObject({
      status: "failed",
      summary: "ran 0 tests",
    });
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

  it("proves nothing when it was there before, however fresh", async () => {
    const places = folders();
    write(places.dir, { "report.xml": junit(5) });
    expect(await judge({ in: places, command: "true", report: "report.xml" })).toMatchObject({
      status: "failed",
      summary: "no test results were recognised, and at least 1 tests must run",
    });
  });

  it("counts when the command wrote the same again", async () => {
    const places = folders();
    write(places.dir, { "report.xml": junit(5) });
    const rewrite = "cp report.xml copy && sleep 0.05 && cat copy > report.xml";
    expect(await judge({ in: places, command: rewrite, report: "report.xml" })).toMatchObject({
      status: "passed",
    });
  });

  it("is missed when the command wrote none, and when it is no report", async () => {
    expect(await judge({ command: "true", report: "report.xml" })).toMatchObject({ status: "failed" });
    expect(await judge({ command: "echo hello > report.xml", report: "report.xml" })).toMatchObject({
      status: "failed",
    });
    expect(await judge({ command: "mkfifo report.xml", report: "report.xml" })).toMatchObject({
      status: "failed",
    });
  });

  it("lies in the folder of the command", async () => {
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

describe("how the command runs", () => {
  it("runs in the workspace, or in a folder of it, with its own variables", async () => {
    const places = folders();
    fs.mkdirSync(path.join(places.dir, "app"));
    const command =
      'test "$MINE" = "a b" && test "$CONVERGE_ITERATION" = 2 && test -n "$CONVERGE_RUN" && pwd';
    const { evidence } = await judge({ in: places, command, env: { MINE: "a b" }, cwd: "app" });
    expect(evidence).toMatchObject({ exitCode: 0, stdout: "app\n" });
  });

  it("takes program and arguments as they are", async () => {
    const verdict = await judge({ command: ["printf", "%s|", "two words", "$HOME"] });
    expect(verdict.evidence).toMatchObject({
      command: "printf %s| two words $HOME",
      stdout: "two words|$HOME|",
    });
  });

  it("keeps the full output beside the bounded evidence", async () => {
    const places = folders();
    const { evidence } = await judge({ in: places, command: "seq 1 100000; echo oops >&2; exit 1" });
    expect(evidence.stdout?.length).toBeLessThan(4_100);
    expect(evidence.stdout).toMatch(/99999\n100000\n$/);
    expect(fs.readFileSync(path.join(places.files, "stdout.log"), "utf8")).toMatch(/^1\n2\n/);
    expect(fs.readFileSync(path.join(places.files, "stderr.log"), "utf8")).toBe("oops\n");
  });

  it("judges by the output of this time, not of an earlier one", async () => {
    const places = folders();
    expect((await judge({ in: places, command: failing })).tests?.failed).toBe(1);
    expect(await judge({ in: places, command: "echo fine" })).toMatchObject({
      status: "passed",
      evidence: { stdout: "fine\n" },
    });
  });

  it("ends what the command left running", async () => {
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

  it("lead from the workspace on, in places, messages and output", async () => {
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

  it("lead from the workspace on when nothing was recognised", async () => {
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

  it("lead from the workspace on in a report file", async () => {
    const places = folders();
    const where = path.join(places.dir, "test/a.py");
    write(places.files, {
      "report.xml": `<testsuite name="s"><testcase classname="c" name="n"><failure message="broken">${where}:12: AssertionError</failure></testcase></testsuite>`,
    });
    const command = `cp '${places.files}/report.xml' report.xml; exit 1`;
    const { failures } = await judge({ in: places, command, report: "report.xml" });
    expect(failures[0]?.location).toBe("test/a.py:12");
  });

  it("that the command names from its own folder lead from the workspace on", async () => {
    const places = folders();
    write(places.dir, { "app/test/adds.test.js": "" });
    write(places.files, { output: node("test/adds.test.js").replaceAll("file://", "") });
    const options = { in: places, command: `cat '${places.files}/output'; exit 1` };
    expect((await judge({ ...options, cwd: "app" })).failures[0]?.location).toBe("app/test/adds.test.js:7");
    expect((await judge(options)).failures[0]?.location).toBe("test/adds.test.js:7");
  });
});
