import { describe, expect, it } from "vitest";
import type { Decision } from "#spec/decision";
import { transitionsOf } from "#strategies/adaptive/adaptive";
import { PRIOR } from "#strategies/adaptive/features";
import { learn } from "#strategies/adaptive/hazard";
import { type HybridOptions, hybrid } from "#strategies/hybrid";
import {
  type ExampleIteration,
  type ExampleOptions,
  exampleGate,
  exampleRun,
  exampleVerdict,
} from "#testing/run";

const limits = { iterations: 50, iterationMs: 1, agentFailures: 99 };

const failing = (...ids: string[]): ExampleIteration => ({
  verdicts: [
    {
      gate: "tests",
      verdict: exampleVerdict({
        score: 1 - ids.length / 100,
        failures: ids.map((id) => ({ id, message: `${id} is wrong` })),
        tests: { total: 100, passed: 100 - ids.length, failed: ids.length, skipped: 0 },
      }),
    },
  ],
  score: 1 - ids.length / 100,
});
const withError = (message: string): ExampleIteration => ({
  verdicts: [{ gate: "tests", verdict: exampleVerdict({ failures: [{ message }] }) }],
});

/** Returns the strategy's decisions in order, up to the first stop. */
async function decisionsFor(
  facts: readonly ExampleIteration[],
  around: ExampleOptions = {},
  options: HybridOptions = {},
): Promise<readonly Decision[]> {
  const all: ExampleIteration[] = [];
  const decisions: Decision[] = [];
  for (const each of facts) {
    const run = exampleRun([...all, each], { ...around, task: { limits, ...around.task } });
    const decision = await hybrid(options)(run);
    decisions.push(decision);
    if (!decision.continue) break;
    all.push({ ...each, decision });
  }
  return decisions;
}

/** Number of the iteration after which the run ends; undefined when it continues. */
async function endOf(facts: readonly ExampleIteration[], around?: ExampleOptions) {
  const decisions = await decisionsFor(facts, around);
  return decisions.at(-1)?.continue ? undefined : decisions.length;
}

const BASE = { baseline: failing("a", "b", "c") };
const same = (length: number, each: ExampleIteration = failing("a", "b", "c")) =>
  Array.from({ length }, () => each);
const idle = { ...failing("a", "b", "c"), tree: "base", from: "base" };

describe("hybrid without numbers", () => {
  it("continues while each iteration fixes one test, however little the score rises", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `test ${at}`);
    const facts = names.map((_, at) => failing(...names.slice(at + 1))).slice(0, -1);
    expect(await endOf(facts, { baseline: failing(...names) })).toBeUndefined();
  });

  it("ends after eight iterations without an improvement, with the number of failing tests as the reason", async () => {
    const decisions = await decisionsFor(same(12), BASE);
    expect(decisions.length).toBe(8);
    expect(decisions.at(-1)).toMatchObject({
      continue: false,
      reason: "no test has been fixed since the start (3 still fail)",
    });
    expect(decisions.at(-2)?.reason).toBe("on to iteration 8 of 50, nothing better for 7 of 8 iterations");
  });

  it.each<[string, ExampleIteration[], ExampleOptions, number]>([
    ["fewer failing tests", [...same(4), failing("a", "b"), ...same(9, failing("a", "b"))], BASE, 13],
    ["more failing tests and back", [failing("a", "b", "c", "d"), ...same(9)], BASE, 9],
    [
      "other errors",
      [withError("x"), withError("y"), withError("z"), ...same(9, withError("z"))],
      { baseline: withError("w") },
      11,
    ],
    [
      "errors seen before",
      [withError("x"), withError("w"), ...same(9, withError("x"))],
      { baseline: withError("w") },
      9,
    ],
    [
      "errors that differ only in times",
      same(9).map((_, at) => withError(`took 0.${at}s`)),
      { baseline: withError("took 1.5s") },
      8,
    ],
    ["idle iterations", same(9, idle), BASE, 8],
    [
      "idle iterations with other errors",
      same(9).map((_, at) => ({ ...withError(`flaky ${"abcdefghi"[at]}`), tree: "base", from: "base" })),
      BASE,
      8,
    ],
    ["crashed agents", same(9, { ok: false }), BASE, 8],
  ])("ends after eight iterations without an improvement, given %s", async (_, facts, around, end) => {
    expect(await endOf(facts, around)).toBe(end);
  });

  it("counts a newly passing gate and a newly reached level as improvements", async () => {
    const gates = [exampleGate("tests"), exampleGate("lint"), exampleGate("levels", "levels")];
    const state = (lint: "passed" | "failed", levels: number): ExampleIteration => ({
      score: 0,
      verdicts: [
        { gate: "tests", verdict: exampleVerdict() },
        { gate: "lint", verdict: exampleVerdict({ status: lint }) },
        { gate: "levels", verdict: exampleVerdict({ levels }) },
      ],
    });
    const around = { task: { gates }, baseline: state("failed", 1) };
    expect(await endOf(same(20, state("failed", 1)), around)).toBe(8);
    expect(await endOf([...same(3, state("failed", 1)), ...same(20, state("passed", 1))], around)).toBe(12);
    expect(await endOf([...same(3, state("failed", 1)), ...same(20, state("failed", 2))], around)).toBe(12);
  });

  it("names gates when no tests are reported", async () => {
    const [last] = (await decisionsFor(same(8, withError("x")), { baseline: withError("x") })).slice(-1);
    expect(last?.reason).toBe("nothing has improved since the start (tests still fails)");
  });

  it("restarts its patience after a resume", async () => {
    const run = (length: number) => exampleRun(same(length), { ...BASE, task: { limits }, reopenedAt: 8 });
    expect((await hybrid()(run(9))).continue).toBe(true);
    expect((await hybrid()(run(15))).continue).toBe(true);
    expect(await hybrid()(run(16))).toMatchObject({
      continue: false,
      reason: "no test has been fixed since iteration 8 (3 still fail)",
    });
  });

  it("ends at the iteration limit with the limit as the reason", async () => {
    const task = { limits: { ...limits, iterations: 2 } };
    expect((await decisionsFor(same(3), { ...BASE, task })).at(-1)).toMatchObject({
      continue: false,
      reason: "all 2 iterations are used",
    });
  });
});

describe("hybrid ends runs that recorded logs show as hopeless", () => {
  const output = (stdout: string) => ({
    verdicts: [{ gate: "tests", verdict: exampleVerdict({ evidence: { stdout } }) }],
  });

  it.each<[string, ExampleIteration[], number]>([
    ["the same action and observation again and again", same(10, { tree: "a", ...output("no") }), 4],
    [
      "a short exploration, then the same action",
      [..."xyzaaaaaa"].map((tree) => ({ tree, ...output(tree) })),
      7,
    ],
    ["two actions in turn", [..."ababababab"].map((tree) => ({ tree, ...output(tree) })), 6],
    [
      "the same failing test with ever new code",
      same(10).map((_, at) => ({ ...failing("a"), tree: `t${at}` })),
      9,
    ],
    [
      "a score that never rises",
      same(12).map((_, at) => ({ tree: `t${at}`, score: 0.5, ...output(`${at}`) })),
      9,
    ],
  ])("%s", async (_, facts, end) => {
    expect(await endOf(facts, { task: { baseline: false }, baseline: { verdicts: [], score: null } })).toBe(
      end,
    );
  });

  it("ends earlier when the project's lessons show that the run is hopeless", async () => {
    const stuck = same(8).map((_, at) => ({ tree: `t${at}`, message: "I tried it once more.", score: 0.5 }));
    const climbing = [0, 0.3, 0.6].map((score, at) => ({ message: `Step ${"abc"[at]}`, score }));
    const lessons = Array.from({ length: 150 }, () => [
      ...transitionsOf(exampleRun(stuck)),
      ...transitionsOf(exampleRun([...climbing, { status: "passed" }])),
    ]).flat();
    const taught = { weights: learn(PRIOR, lessons) };
    const decisions = await decisionsFor(stuck, {}, taught);
    expect(decisions.length).toBeLessThan(8);
    expect(decisions.at(-1)).toMatchObject({
      continue: false,
      reason: expect.stringMatching(/would pass with .* learned from earlier runs of this project$/),
    });
    const little = { weights: learn(PRIOR, lessons.slice(0, 99)) };
    expect((await decisionsFor(stuck.slice(0, 7), {}, little)).every((each) => each.continue)).toBe(true);
  });
});
