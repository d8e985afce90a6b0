import { describe, expect, it } from "vitest";
import type { Verdict } from "../../src/index.ts";
import { type Ran, runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
const idle = script([]);

const judged = (ran: Ran): readonly Verdict[] =>
  ofType(ran.events, "gate.judged").map(({ verdict }) => verdict);

/** Returns the gate's verdict on the untouched workspace. */
async function verdictOf(gate: object, files: Record<string, string> = {}): Promise<Verdict> {
  const task = { agent: idle, gates: [{ name: "gate", ...gate }], limits: { iterations: 1 } };
  const [verdict] = judged(await runTask(task, files));
  if (!verdict) throw new Error("the gate was not judged");
  return verdict;
}

describe("command", () => {
  it("runs any shell command", async () => {
    const verdict = await verdictOf(
      { command: "cat a.txt | grep -c b && test -f a.txt" },
      { "a.txt": "b\nb\n" },
    );
    expect(verdict).toMatchObject({ status: "passed", score: 1, evidence: { exitCode: 0, stdout: "2\n" } });
  });

  it("runs any program with its arguments", async () => {
    const verdict = await verdictOf({ command: ["printf", "%s|", "two words", "$HOME", "*"] });
    expect(verdict).toMatchObject({ status: "passed", evidence: { stdout: "two words|$HOME|*|" } });
  });

  it("passes on the expected exit code", async () => {
    expect(await verdictOf({ command: "exit 3", exitCode: 3 })).toMatchObject({ status: "passed" });
    expect(await verdictOf({ command: "exit 0", exitCode: 3 })).toMatchObject({
      status: "failed",
      summary: "exit code 0, expected 3",
    });
  });

  it("is errored, never passed, when it exceeds its timeout", async () => {
    const gate = { command: "sleep 60", timeout: "200ms", grace: { interrupt: "100ms", terminate: "100ms" } };
    expect(await verdictOf(gate)).toMatchObject({
      status: "errored",
      summary: "timed out after 0.2 s; raise --gate-timeout",
    });
  });

  it("uses its own environment and working directory", async () => {
    const gate = {
      command: 'echo "$MODE in $(basename "$(pwd)")"',
      env: { MODE: "fast" },
      cwd: "packages/core",
    };
    const verdict = await verdictOf(gate, { "packages/core/a.txt": "" });
    expect(verdict.evidence.stdout).toBe("fast in core\n");
  });

  it("requires a minimum number of tests", async () => {
    const command = "printf 'TAP version 13\\n1..2\\nok 1 - a\\nok 2 - b\\n'";
    expect(await verdictOf({ command, minTests: 2 })).toMatchObject({ status: "passed" });
    expect(await verdictOf({ command, minTests: 3 })).toMatchObject({
      status: "failed",
      summary: "ran 2 tests, expected at least 3",
    });
  });

  it("parses the report file that the command writes: counts, ids, locations, values", async () => {
    const report = `<testsuites><testsuite name="s"><testcase classname="a.B" name="fine"/><testcase classname="a.B" name="adds" file="src/a.rb" line="7"><failure message="no">Expected: 3\nReceived: 4</failure></testcase></testsuite></testsuites>`;
    const gate = { command: "mkdir -p out; cp r.xml out/r.xml; exit 1", report: "out/r.xml" };
    expect(await verdictOf(gate, { "r.xml": report })).toMatchObject({
      status: "failed",
      score: 0.5,
      summary: "1 of 2 tests failed; exit code 1",
      tests: { total: 2, passed: 1, failed: 1, skipped: 0 },
      failures: [{ id: "a.B.adds", location: "src/a.rb:7", message: "no", expected: "3", actual: "4" }],
    });
  });

  it("sums up the report files that match a glob and ignores those from before the gate ran", async () => {
    const suite = (name: string, tests: number) =>
      `<testsuite name="${name}">${Array.from({ length: tests }, (_, at) => `<testcase classname="a.B" name="${name}${at}"/>`).join("")}</testsuite>`;
    const gate = {
      command: "mkdir -p build/x; cp one.xml build/one.xml; cp two.xml build/x/two.xml",
      report: "build/**/*.xml",
    };
    const files = {
      "one.xml": suite("one", 2),
      "two.xml": suite("two", 3),
      "build/old.xml": suite("old", 9),
    };
    expect(await verdictOf(gate, files)).toMatchObject({ status: "passed", summary: "5 tests passed" });
  });

  it("parses test results from a real runner's output: counts, ids, locations, values", async () => {
    const suite = [
      'import test from "node:test";',
      'import assert from "node:assert";',
      'test("adds", () => assert.equal(4, 3));',
      'test("subtracts", () => {});',
      'test.skip("divides", () => {});',
    ].join("\n");
    const gate = { command: "node --test --test-reporter=spec", timeout: "1m" };
    const verdict = await verdictOf(gate, { "test/sums.test.mjs": suite });
    expect(verdict).toMatchObject({
      status: "failed",
      score: 0.5,
      tests: { total: 3, passed: 1, failed: 1, skipped: 1 },
      failures: [{ id: "adds", location: "test/sums.test.mjs:3", expected: "3", actual: "4" }],
    });
  });
});

describe("minTests: baseline", () => {
  const tap = (...lines: string[]) => ["TAP version 13", ...lines, `1..${lines.length}`, ""].join("\n");
  const gate = { name: "tests", command: "cat n && ! grep -q '^not ok' n" };
  const broken = tap("ok 1 - a", "ok 2 - b", "not ok 3 - c", "ok 4 - d");

  it.each([
    ["deleting the failing test", tap("ok 1 - a", "ok 2 - b", "ok 3 - d"), "ran 3 tests"],
    ["skipping the failing test", tap("ok 1 - a", "ok 2 - b", "ok 3 - c # SKIP", "ok 4 - d"), "ran 3 tests"],
    ["printing no results at all", "all is well\n", "no test results were recognised"],
  ])("does not pass after %s", async (_, content, summary) => {
    const ran = await runTask(
      { agent: script([{ write: { n: content } }]), gates: [gate], limits: { iterations: 1 } },
      { n: broken },
    );
    expect(ran.code).toBe(1);
    expect(ran.outcome).not.toBe("converged");
    expect(judged(ran).at(-1)?.summary).toContain(`${summary}, but the baseline ran 4 tests`);
    expect(judged(ran).at(-1)?.summary).toContain("set minTests");
  });

  it("passes when the test is fixed and more tests are added", async () => {
    const mended = broken.replace("not ok", "ok").replace("1..4", "ok 5 - e\n1..5");
    const task = { agent: script([{ write: { n: mended } }]), gates: [{ ...gate, minTests: "baseline" }] };
    expect(await runTask(task, { n: broken })).toMatchObject({ code: 0, outcome: "converged" });
  });

  it("a number switches it off", async () => {
    const fewer = tap("ok 1 - a", "ok 2 - b");
    const task = { agent: script([{ write: { n: fewer } }]), gates: [{ ...gate, minTests: 2 }] };
    expect(await runTask(task, { n: broken })).toMatchObject({ code: 0, outcome: "converged" });
  });

  it("refuses any other value", async () => {
    const ran = await runTask({ agent: idle, gates: [{ ...gate, minTests: "most" }] });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("minTests");
  });

  it("does not count lost tests as pre-existing failures", async () => {
    const cheated = tap("ok 1 - a", "not ok 2 - c");
    const ran = await runTask(
      {
        agent: script([{ write: { n: cheated } }]),
        gates: [gate],
        ignorePreexisting: true,
        limits: { iterations: 1 },
      },
      { n: broken },
    );
    expect(ran.outcome).not.toBe("converged");
  });
});

describe("volatile output", () => {
  // Each run has another time, folder, port and id in the test name, the message and the output.
  const flaky = [
    "printf 'TAP version 13\\n1..2\\nok 1 - fine\\n'",
    'echo "not ok 2 - saves at $(date +%FT%T.%NZ) in $(mktemp -u) for $(cat /proc/sys/kernel/random/uuid)"',
    'echo "# took 0.$(date +%N)s"',
    "exit 1",
  ].join("\n");

  it("does not keep hybrid from detecting a circle", async () => {
    const ran = await runTask(
      {
        agent: script(...["a", "b", "a", "b", "a", "b"].map((n) => [{ write: { n } }])),
        gates: [{ name: "tests", command: "sh flaky.sh" }],
        strategy: { type: "hybrid", baseIterations: 8 },
      },
      { "flaky.sh": flaky },
    );
    expect(ran).toMatchObject({ outcome: "diverged", iterations: 6 });
    expect(ran.reason).toContain("left the same files and the same failures");
    const ids = judged(ran).map(({ failures }) => failures[0]?.id);
    expect(new Set(ids)).toEqual(new Set(["saves at <time> in <temp> for <uuid>"]));
  });

  it("does not make a known failure look new", async () => {
    const ran = await runTask(
      {
        agent: script([{ write: { n: "1" } }]),
        gates: [{ name: "tests", command: "sh flaky.sh" }],
        ignorePreexisting: true,
        requireChange: true,
      },
      { "flaky.sh": flaky },
    );
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });

  it("does not keep ralph from detecting repeated agent output", async () => {
    const ran = await runTask({
      agent: {
        type: "command",
        command: 'date +%s%N > n; echo "At $(date +%T.%N) I wrote $(mktemp -u) and stopped."',
      },
      gates: ["false"],
      strategy: {
        type: "ralph",
        minIterations: 1,
        maxIterations: 9,
        windowSize: 3,
        convergenceThreshold: 0.01,
      },
    });
    expect(ran.iterations).toBe(4);
  });
});
