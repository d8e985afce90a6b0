import { describe, expect, it } from "vitest";
import { type HybridOptions, hybrid } from "#strategies/hybrid";
import {
  type ExampleIteration,
  type ExampleOptions,
  exampleGate,
  exampleRun,
  exampleVerdict,
} from "#testing/run";

const decide = (facts: readonly ExampleIteration[], options?: HybridOptions, around?: ExampleOptions) =>
  hybrid(options)(exampleRun(facts, around));
const scores = (...values: (number | null)[]) => values.map((score) => ({ score }));
const gates = [exampleGate("tests"), exampleGate("build", "ci")];
const verdict = (parts: Parameters<typeof exampleVerdict>[0]) => ({
  gate: "tests",
  verdict: exampleVerdict(parts),
});

/** The limit of 3 base and 2 bonus iterations, as the configuration resolves it. */
const NUMBERS: HybridOptions = { baseIterations: 3, bonusIterations: 2 };
const limitOf = (iterations: number) => ({ iterations, iterationMs: 1, agentFailures: 3 });
const FIVE = { task: { limits: limitOf(5) } };

describe("hybrid with numbers spends iterations", () => {
  it.each([
    ["in the base", scores(0), true, "on to iteration 2 of 5"],
    ["in the base, also when the score falls", scores(0.5, 0.2), true, "on to iteration 3 of 5"],
    [
      "as a bonus on progress",
      scores(0, 0.25, 0.5),
      true,
      "on to bonus iteration 4 of 5: the score rose by 0.25",
    ],
    [
      "as a second bonus",
      scores(0, 0, 0.5, 0.9),
      true,
      "on to bonus iteration 5 of 5: the score rose by 0.4",
    ],
    ["not beyond the bonus", scores(0, 0.2, 0.4, 0.6, 0.8), false, "all 5 iterations are used"],
    [
      "not without progress",
      scores(0.5, 0.5, 0.5),
      false,
      "the score did not rise in iteration 3, and a bonus iteration needs 0.1",
    ],
    [
      "not on progress below the threshold",
      scores(0.5, 0.5, 0.55),
      false,
      "the score rose by 0.05 in iteration 3",
    ],
    ["not when it only returns to its best score", scores(0.9, 0.5, 0.9), false, "the score did not rise"],
    ["not on a rise below the best", scores(0.9, 0.2, 0.8), false, "the score did not rise"],
    ["on exactly the threshold", scores(0.1, 0.2, 0.3), true, "the score rose by 0.1"],
    ["not without a score", scores(0.1, 0.2, null), false, "no gate gave a score"],
    ["over iterations without a score", scores(null, null, 0.2), true, "the score rose by 0.2"],
  ])("%s", async (_, facts, goesOn, reason) => {
    const decision = await decide(facts, NUMBERS, FIVE);
    expect(decision.continue).toBe(goesOn);
    expect(decision.reason).toContain(reason);
  });

  it("measures progress against the baseline too", async () => {
    const baseline = { score: 0.5 };
    expect((await decide(scores(0, 0, 0.55), NUMBERS, { ...FIVE, baseline })).continue).toBe(false);
    expect((await decide(scores(0, 0, 0.6), NUMBERS, { ...FIVE, baseline })).continue).toBe(true);
  });

  it("according to its options", async () => {
    const options = { baseIterations: 1, bonusIterations: 1, progressThreshold: 0.5 };
    expect((await decide(scores(0.4), options)).continue).toBe(false);
    expect((await decide(scores(0.5), options)).continue).toBe(true);
    expect((await decide(scores(0.9, 0.4), options)).continue).toBe(false);
  });

  it("spends base iterations again after a resume, up to the new limit", async () => {
    const around = (iterations: number, reopenedAt: number) => ({
      task: { limits: limitOf(iterations) },
      reopenedAt,
    });
    expect((await decide(scores(0, 0, 0, 0), NUMBERS, around(5, 3))).continue).toBe(true);
    expect((await decide(scores(0, 0, 0, 0, 0), NUMBERS, around(5, 3))).continue).toBe(false);
    expect((await decide(scores(0, 0, 0, 0, 0), NUMBERS, around(9, 3))).continue).toBe(true);
    expect((await decide(scores(0, 0, 0, 0, 0, 0), NUMBERS, around(9, 3))).continue).toBe(false);
  });
});

describe("hybrid completes", () => {
  const red: ExampleIteration = { status: { tests: "failed", build: "passed" } };

  it("when the gates pass, whatever the criteria", async () => {
    const decision = await decide([{ status: "passed" }], { completionCriteria: [] });
    expect(decision).toEqual({
      continue: false,
      reason: "solved in iteration 1: all gates pass",
      confidence: 1,
    });
  });

  it("when CI passes, if configured", async () => {
    const options: HybridOptions = { completionCriteria: ["ci-pass"] };
    expect(await decide([red], options, { task: { gates } })).toMatchObject({
      continue: false,
      accept: true,
      reason: "CI passed after iteration 1 (build)",
    });
    const failed = { status: { tests: "passed", build: "failed" } } as const;
    expect((await decide([failed], options, { task: { gates } })).continue).toBe(true);
    expect((await decide([{}], options)).continue).toBe(true);
    const twice = { gates: [...gates, exampleGate("nightly", "ci")] };
    expect((await decide([red], options, { task: twice })).continue).toBe(true);
  });

  it("when nothing changed, if configured", async () => {
    const options: HybridOptions = { completionCriteria: ["no-changes"] };
    expect(await decide([{ tree: "A" }, { tree: "A" }], options)).toMatchObject({
      continue: false,
      accept: true,
      reason: "iteration 2 changed nothing",
    });
    expect(await decide([{ tree: "base" }], options)).toMatchObject({ continue: false, accept: true });
    expect((await decide([{ tree: "A" }, { tree: "B" }], options)).continue).toBe(true);
    expect((await decide([{ tree: null }, { tree: null }], options)).continue).toBe(true);
    expect((await decide([{ tree: "base", ok: false }], options)).continue).toBe(true);
  });

  it("only when the gates pass, by default", async () => {
    const facts = [{ tree: "base", message: "DONE", status: red.status! }];
    expect(await decide(facts, {}, { task: { gates } })).toEqual({
      continue: true,
      reason: "on to iteration 2 of 10",
      confidence: 0.8,
    });
  });

  it("by the first criterion met, in the configured order", async () => {
    const facts = [{ ...red, tree: "base" }];
    const ci = await decide(facts, { completionCriteria: ["ci-pass", "no-changes"] }, { task: { gates } });
    const same = await decide(facts, { completionCriteria: ["no-changes", "ci-pass"] }, { task: { gates } });
    expect(ci.reason).toContain("CI passed");
    expect(same.reason).toContain("changed nothing");
  });

  it("at the configured level, when a levels gate reports its levels", async () => {
    const task = { gates: [exampleGate("checks", "levels"), exampleGate("lint")] };
    const at = (levels: object, lint: "passed" | "failed" = "passed"): ExampleIteration => ({
      verdicts: [
        { gate: "checks", verdict: { ...exampleVerdict({ score: 0.5 }), ...levels } },
        { gate: "lint", verdict: exampleVerdict({ status: lint }) },
      ],
    });
    const reached = await decide([at({ levels: 2 })], { minLevel: 1 }, { task });
    expect(reached).toMatchObject({ accept: true, reason: "iteration 1 reached verification level 1" });
    expect((await decide([at({ levels: 2 })], { minLevel: 2 }, { task })).continue).toBe(true);
    expect((await decide([at({ levels: 2 })], {}, { task })).continue).toBe(true);
    expect((await decide([at({ levels: 2 }, "failed")], { minLevel: 1 }, { task })).continue).toBe(true);
    expect((await decide([at({})], { minLevel: 0 }, { task })).continue).toBe(true);
    const errored = at({ levels: 2, status: "errored" });
    expect((await decide([errored], { minLevel: 1 }, { task })).continue).toBe(true);
    const plain = { gates: [exampleGate("checks"), exampleGate("lint")] };
    expect((await decide([at({ levels: 2 })], { minLevel: 1 }, { task: plain })).continue).toBe(true);
  });
});

describe("hybrid accepts the agent's signal", () => {
  const options: HybridOptions = { completionCriteria: ["agent-signal"] };
  const claim: ExampleIteration = { message: "All good.\n\nDONE" };

  it("as completion without gates", async () => {
    expect(await decide([claim], options, { task: { gates: [] } })).toMatchObject({
      continue: false,
      accept: true,
      reason: 'the agent said "DONE" and no gate is configured',
    });
  });

  it("as completion against red gates, and names them", async () => {
    expect(await decide([claim], options)).toMatchObject({
      continue: false,
      accept: true,
      reason: 'the agent said "DONE" and these gates are red: tests (failed)',
    });
  });

  it("only in the configured words", async () => {
    const task = { gates: [], promise: "GREEN" };
    const promise = (words: string) => [{ message: `<promise>${words}</promise>` }];
    expect((await decide(promise("other"), options, { task })).continue).toBe(true);
    expect((await decide(promise("green"), options, { task })).accept).toBe(true);
    expect((await decide([claim], { ...options, signals: ["READY"] }, { task })).continue).toBe(true);
  });

  it("not from a failed agent", async () => {
    expect((await decide([{ ...claim, ok: false }], options, { task: { gates: [] } })).continue).toBe(true);
  });
});

describe("circle detection of hybrid", () => {
  const long = { task: { limits: limitOf(50) } };
  const trees = (path: string): ExampleIteration[] => [...path].map((tree) => ({ tree }));

  /** Returns the iterations, each with the decision that the strategy makes after it. */
  const withDecisions = async (
    facts: readonly ExampleIteration[],
    options: HybridOptions = {},
  ): Promise<ExampleIteration[]> => {
    const all: ExampleIteration[] = [];
    for (const each of facts) all.push({ ...each, decision: await decide([...all, each], options, long) });
    return all;
  };

  it.each([
    ["three equal states", "XYAAA", "iterations 3, 4 and 5 left the same files and the same failures"],
    ["two alternating states", "ABABA", "iterations 1, 3 and 5 left the same files and the same failures"],
    ["a longer cycle", "ABCABCA", "iterations 1, 4 and 7 left the same files and the same failures"],
  ])("finds %s and steers the agent once to change its approach", async (_, path, what) => {
    for (const options of [{}, { baseIterations: 20 }]) {
      const steered = (await withDecisions(trees(path), options)).at(-1)?.decision;
      expect(steered).toMatchObject({
        continue: true,
        reason: `${what}: the agent is told once to change its approach`,
        feedback: expect.stringContaining("take a different approach"),
      });
    }
  });

  it.each(["AA", "ABAB", "ABCABC", "AABBCC", "AAB"])("finds no circle in %s", async (path) => {
    expect((await withDecisions(trees(path))).every(({ decision }) => decision?.feedback === undefined)).toBe(
      true,
    );
  });

  it("ends the run as stuck when the next iteration closes a circle again", async () => {
    const decisions = (await withDecisions(trees("XYAAAA"))).map(({ decision }) => decision);
    expect(decisions.map((each) => each?.continue)).toEqual([true, true, true, true, true, false]);
    expect(decisions.at(-1)).toMatchObject({
      confidence: 0.9,
      reason:
        "stuck: iterations 3, 4, 5 and 6 left the same files and the same failures, even after the agent was told to change its approach",
    });
    expect((await withDecisions(trees("XYAAAB"))).at(-1)?.decision).toMatchObject({ continue: true });
  });

  it("ignores idle, crashed and reverted iterations", async () => {
    const idle = { tree: "A", from: "A" };
    const facts = [{ tree: "A", from: "base" }, idle, idle, { tree: "A", ok: false }, idle];
    const decisions = (await withDecisions(facts)).map(({ decision }) => decision);
    expect(decisions.every((each) => each?.continue && each.feedback === undefined)).toBe(true);
  });

  it("ignores equal files with other scores, statuses or outputs", async () => {
    const scored = [0.1, 0.2, 0.3, 0.4].map((score) => ({ tree: "A", verdicts: [verdict({ score })] }));
    const printed = ["a", "b", "c", "d"].map((stdout) => ({
      tree: "A",
      verdicts: [verdict({ evidence: { stdout } })],
    }));
    for (const facts of [scored, printed])
      expect((await withDecisions(facts)).at(-1)?.decision?.feedback).toBeUndefined();
  });

  it("is reset by a resume", async () => {
    const before = await withDecisions(trees("AAAA"));
    const decision = await decide([...before, { tree: "A" }], {}, { ...long, reopenedAt: 4 });
    expect(decision).toMatchObject({ continue: true, reason: "on to iteration 6 of 50" });
  });

  it("gives the iteration limit as the reason, not the circle", async () => {
    const decision = await decide(trees("AAA"), NUMBERS, FIVE);
    expect(decision).toMatchObject({ continue: false });
    expect(decision.reason).toContain("the score did not rise in iteration 3");
  });

  it("is disabled by loopDetection: false", async () => {
    expect((await decide(trees("AAAA"), { loopDetection: false })).feedback).toBeUndefined();
  });
});

describe("hybrid accepts a partial result", () => {
  const half: ExampleIteration = { status: { tests: "failed", build: "passed" }, score: 0.5 };
  const task = { gates };

  it("from acceptPartialAfter on, with a gate passed, when it would stop", async () => {
    const accepted = {
      continue: false,
      accept: true,
      reason: expect.stringContaining("accepted in part (build passed)"),
    };
    expect(await decide([half, half, half], { ...NUMBERS, acceptPartialAfter: 3 }, { task })).toMatchObject(
      accepted,
    );
    expect(await decide(Array(9).fill(half), { acceptPartialAfter: 3 }, { task })).toMatchObject(accepted);
    expect(
      await decide([half], { acceptPartialAfter: 1 }, { task: { gates, limits: limitOf(1) } }),
    ).toMatchObject(accepted);
  });

  it.each([
    ["earlier", [half, half, half], { acceptPartialAfter: 4 }],
    ["with no gate passed", [{}, {}, {}], { acceptPartialAfter: 1 }],
    ["without acceptPartialAfter", [half, half, half], {}],
  ])("not %s", async (_, facts, options) => {
    const decision = await decide(facts, { ...NUMBERS, ...options }, { task });
    expect(decision.continue).toBe(false);
    expect(decision.accept).toBeUndefined();
  });

  it("not while there are iterations left", async () => {
    expect((await decide([half, half], { acceptPartialAfter: 1 }, { task })).continue).toBe(true);
  });
});
