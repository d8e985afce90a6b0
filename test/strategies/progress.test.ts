import { describe, expect, it } from "vitest";
import type { Progress, Run } from "../../src/index.ts";
import { asked, type Ran, ranIn, runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

interface Shown {
  readonly state: string;
  readonly progress: Progress;
  readonly run: Run;
}

const shown = async ({ box }: Ran): Promise<Shown> => {
  const [view] = await asked<Shown>(box, "show", "last");
  if (!view) throw new Error("show said nothing");
  return view;
};

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
const idle = script([]);
const verdicts = (ran: Ran, iteration: number) =>
  new Map(
    ofType(ran.events, "gate.judged")
      .filter((event) => event.iteration === iteration)
      .map(({ gate, verdict }) => [gate, verdict]),
  );

const tap = (passed: number, total = 10) =>
  [`1..${total}`, ...Array.from({ length: total }, (_, at) => `${at < passed ? "ok" : "not ok"} ${at + 1} t`)]
    .map((line) => `${line}\n`)
    .join("");
const report = (file: string) => ({ name: file, command: `cat ${file} && ! grep -q '^not ok' ${file}` });

/** One node:test test per name; those in `red` fail. */
const suite = (names: readonly string[], red: readonly string[]) =>
  [
    'import test from "node:test";',
    'import assert from "node:assert";',
    ...names.map(
      (name) => `test(${JSON.stringify(name)}, () => assert.equal(${red.includes(name) ? 1 : 2}, 2));`,
    ),
  ].join("\n");

describe("scores", () => {
  const names = ["adds", "subtracts", "multiplies", "divides"];
  const TESTS = { name: "tests", command: "node --test sums.test.mjs", weight: 3 };

  it("a gate scores 1 when passed, else the fraction of passing tests, from real node --test output", async () => {
    const ran = await runTask(
      {
        agent: script(
          [{ write: { "sums.test.mjs": suite(names, ["divides"]) } }],
          [{ write: { "sums.test.mjs": suite(names, []) } }],
        ),
        gates: [TESTS],
        // The agent changes the tests themselves.
        protect: "off",
      },
      { "sums.test.mjs": suite(names, ["adds", "multiplies", "divides"]) },
    );
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    const judged = ofType(ran.events, "gate.judged").map(({ verdict }) => verdict);
    expect(judged.map(({ status, score }) => [status, score])).toEqual([
      ["failed", 0.25],
      ["failed", 0.75],
      ["passed", 1],
    ]);
    expect(judged[0]?.tests).toEqual({ total: 4, passed: 1, failed: 3, skipped: 0 });
    expect(judged[1]?.failures).toMatchObject([
      { id: "divides", location: expect.stringContaining("sums.test.mjs:6"), expected: "2", actual: "1" },
    ]);
    expect((await shown(ran)).progress).toMatchObject({
      overall: 1,
      scores: [0.25, 0.75, 1],
      gatesPassed: 1,
      gatesTotal: 1,
      best: { iteration: 2, score: 1 },
    });
  });

  it("a gate without tests scores 1 or 0, and the overall score is the mean", async () => {
    const ran = await runTask({
      agent: idle,
      gates: ["true", "test 1 = 1", "false"],
      strategy: { type: "fixed", iterations: 1 },
    });
    const { progress } = await shown(ran);
    expect(progress.byGate.map(({ status, score }) => [status, score])).toEqual([
      ["passed", 1],
      ["passed", 1],
      ["failed", 0],
    ]);
    expect(progress.overall).toBeCloseTo(2 / 3);
    expect(progress).toMatchObject({ gatesPassed: 2, gatesTotal: 3 });
  });

  it("applies weights", async () => {
    const ran = await runTask(
      {
        agent: idle,
        gates: [TESTS, { name: "lint", command: "true", weight: 1 }],
        strategy: { type: "fixed", iterations: 1 },
      },
      { "sums.test.mjs": suite(names, ["adds", "divides"]) },
    );
    // (3 × 0.5 + 1 × 1) / 4
    expect((await shown(ran)).progress.overall).toBe(0.625);
  });

  it("a red exit code with all tests passing is no pass and scores below 1", async () => {
    const ran = await runTask(
      {
        agent: idle,
        gates: [{ name: "tests", command: "cat n; exit 1" }],
        strategy: { type: "fixed", iterations: 1 },
      },
      { n: tap(10) },
    );
    const verdict = verdicts(ran, 1).get("tests");
    expect(verdict?.status).toBe("failed");
    expect(verdict?.score).toBeLessThan(1);
  });
});

describe("trend, velocity and remaining iterations", () => {
  const writing = (file: string, passed: readonly number[], total = 10) =>
    passed.map((count) => [{ write: { [file]: tap(count, total) } }]);
  const scoring = async (...passed: number[]) => {
    const ran = await runTask(
      {
        agent: script(...writing("n", passed.slice(1), 100)),
        gates: [report("n")],
        strategy: { type: "fixed", iterations: passed.length - 1 },
      },
      { n: tap(passed[0] ?? 0, 100) },
    );
    return (await shown(ran)).progress;
  };

  it("improving: velocity is the change per iteration, and the estimate follows from it", async () => {
    const progress = await scoring(20, 40, 60);
    expect(progress).toMatchObject({ trend: "improving", scores: [0.2, 0.4, 0.6], remaining: 2 });
    expect(progress.velocity).toBeCloseTo(0.2);
  });

  it("computes velocity from the last iterations only", async () => {
    const progress = await scoring(0, 10, 40, 40, 70);
    expect(progress.velocity).toBeCloseTo(0.2);
    expect(progress.remaining).toBe(2);
  });

  it("regressing: gives no estimate and names the best iteration", async () => {
    const progress = await scoring(50, 60, 30);
    expect(progress).toMatchObject({ trend: "regressing", best: { iteration: 1, score: 0.6 } });
    expect(progress.velocity).toBeLessThan(0);
    expect(progress.remaining).toBeUndefined();
  });

  it.each([
    [90, 91, "improving"],
    [91, 90, "regressing"],
    [90, 90, "stagnant"],
  ])("from %i to %i of 100 is %s: counts failing tests", async (before, after, trend) => {
    const progress = await scoring(before, after);
    expect(progress).toMatchObject({ trend, failing: { before: 100 - before, now: 100 - after } });
  });

  it("each gate has its own trend and scores", async () => {
    const ran = await runTask(
      {
        agent: script([{ write: { up: tap(6), down: tap(2), level: tap(5) } }]),
        gates: [report("up"), report("down"), report("level")],
        strategy: { type: "fixed", iterations: 1 },
      },
      { up: tap(3), down: tap(5), level: tap(5) },
    );
    const { progress } = await shown(ran);
    expect(progress.byGate.map(({ gate, trend, scores }) => [gate, trend, scores])).toEqual([
      ["up", "improving", [0.3, 0.6]],
      ["down", "regressing", [0.5, 0.2]],
      ["level", "stagnant", [0.5, 0.5]],
    ]);
    expect(progress.trend).toBe("stagnant");
  });
});

describe("skipped, waiting and errored are not failed", () => {
  const once = { strategy: { type: "fixed", iterations: 1 }, allowErroredBaseline: true };

  it("each has its own status in the verdicts and in the output", async () => {
    const ran = await runTask({
      ...once,
      agent: idle,
      gates: [
        { name: "red", command: "false" },
        { name: "after", command: "true", skipIf: { failed: "red" } },
        { name: "asks", command: "true", condition: "manual" },
        { name: "tool", command: "no-such-tool-anywhere" },
      ],
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
    const statuses = ["failed", "skipped", "waiting", "errored"];
    expect([...verdicts(ran, 1).values()].map(({ status }) => status)).toEqual(statuses);
    const { progress } = await shown(ran);
    expect(progress.byGate.map(({ status }) => status)).toEqual(statuses);
    expect(progress).toMatchObject({ gatesPassed: 0, gatesTotal: 4, overall: 0 });
  });

  it("skipped and waiting gates do not count in the score; errored ones do", async () => {
    const gates = [
      { name: "green", command: "true" },
      { name: "asks", command: "true", condition: "manual" },
    ];
    const waiting = await runTask({ agent: idle, gates, baseline: "off" });
    expect(waiting.code).toBe(4);
    expect((await shown(waiting)).progress.overall).toBe(1);
    const errored = await runTask({ ...once, agent: idle, gates: ["true", "no-such-tool-anywhere"] });
    expect((await shown(errored)).progress.overall).toBe(0.5);
  });

  it("does not pass a run whose required gates were all skipped", async () => {
    const ran = await runTask({
      ...once,
      agent: idle,
      gates: [
        { name: "red", command: "false" },
        { name: "wanted", command: "true", skipIf: { failed: "red" } },
      ],
      until: ["wanted"],
    });
    expect(verdicts(ran, 1).get("wanted")?.status).toBe("skipped");
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", partial: false });
  });

  it("does not pass a run whose gate is waiting or was rejected by a person", async () => {
    const gates = [{ name: "asks", command: "true", condition: "manual" }];
    const first = await runTask({ ...once, agent: idle, gates });
    expect(verdicts(first, 0).get("asks")?.status).toBe("waiting");
    expect(first).toMatchObject({ code: 4, iterations: 1 });
    expect((await first.box.converge("reject", "last")).code).toBe(0);
    const ran = ranIn(first.box, await first.box.converge("resume", "last", "--json"));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", partial: false });
  });

  it.each([
    ["an empty plan", "echo TAP version 13; echo 1..0"],
    ["a real runner that finds nothing to run", "node --test --test-name-pattern=nonesuch one.test.mjs"],
  ])("does not pass zero tests: %s", async (_, command) => {
    const ran = await runTask(
      { ...once, agent: idle, gates: [{ name: "tests", command }] },
      { "one.test.mjs": suite(["works"], []) },
    );
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
    expect(verdicts(ran, 1).get("tests")).toMatchObject({
      status: "failed",
      score: 0,
      evidence: { exitCode: 0 },
    });
    expect(verdicts(ran, 1).get("tests")?.summary).toContain("ran 0 tests");
  });

  it("does not pass a command without test results when minTests is set", async () => {
    const ran = await runTask({
      ...once,
      agent: idle,
      gates: [{ name: "tests", command: "echo fine", minTests: 1 }],
    });
    expect(ran.code).toBe(1);
    expect(verdicts(ran, 1).get("tests")?.summary).toContain("no test results were recognised");
  });

  it.each([
    ["a missing tool", { command: "no-such-tool-anywhere --check" }, /command not found/],
    [
      "a missing program, without a shell",
      { command: ["no-such-tool-anywhere"] },
      /command not found|could not be started/,
    ],
    [
      "a timeout",
      { command: "echo working; sleep 60", timeout: "300ms" },
      /timed out after 0\.3 s/,
      "failed",
    ],
    ["a crash", { command: "kill -SEGV $$" }, /crashed/, "failed"],
  ])("%s never passes, and the next prompt reports it", async (_, gate, words, status = "errored") => {
    const ran = await runTask({
      agent: idle,
      gates: [{ name: "tool", ...gate }],
      strategy: { type: "fixed", iterations: 2 },
      allowErroredBaseline: true,
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    expect(verdicts(ran, 1).get("tool")).toMatchObject({ status, score: 0 });
    expect(verdicts(ran, 1).get("tool")?.summary).toMatch(words);
    expect(ran.prompts[1]).toContain(`Gate "tool" ${status}: ${verdicts(ran, 1).get("tool")?.summary}`);
  });
});
