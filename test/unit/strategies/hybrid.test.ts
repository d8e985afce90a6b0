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

describe("hybrid spends iterations", () => {
  it.each([
    ["in the base", scores(0), true, "on to iteration 2 of 3"],
    ["in the base, also when the score falls", scores(0.5, 0.2), true, "on to iteration 3 of 3"],
    [
      "as a bonus on progress",
      scores(0, 0.25, 0.5),
      true,
      "on to bonus iteration 1 of 2: the score rose by 0.25",
    ],
    [
      "as a second bonus",
      scores(0, 0, 0.5, 0.9),
      true,
      "on to bonus iteration 2 of 2: the score rose by 0.4",
    ],
    [
      "not beyond the bonus",
      scores(0, 0.2, 0.4, 0.6, 0.8),
      false,
      "all 3 iterations and all 2 bonus iterations are used up",
    ],
    [
      "not without progress",
      scores(0.5, 0.5, 0.5),
      false,
      "no bonus iteration after iteration 3: the score did not rise",
    ],
    ["not on too little", scores(0.5, 0.5, 0.55), false, "the score rose by 0.05, and 0.1 is wanted"],
    ["not on a level without a rise", scores(0.9, 0.5, 0.9), false, "the score did not rise"],
    ["not on a rise below the best", scores(0.9, 0.2, 0.8), false, "the score did not rise"],
    ["on exactly the threshold", scores(0.1, 0.2, 0.3), true, "the score rose by 0.1"],
    ["not without a score", scores(0.1, 0.2, null), false, "there is no score"],
    ["over iterations without a score", scores(null, null, 0.2), true, "the score rose by 0.2"],
  ])("%s", async (_, facts, goesOn, reason) => {
    const decision = await decide(facts);
    expect(decision.continue).toBe(goesOn);
    expect(decision.reason).toContain(reason);
  });

  it("measures progress against the baseline too", async () => {
    const baseline = { score: 0.5 };
    expect((await decide(scores(0, 0, 0.55), {}, { baseline })).continue).toBe(false);
    expect((await decide(scores(0, 0, 0.6), {}, { baseline })).continue).toBe(true);
  });

  it("by its options", async () => {
    const options = { baseIterations: 1, bonusIterations: 1, progressThreshold: 0.5 };
    expect((await decide(scores(0.4), options)).continue).toBe(false);
    expect((await decide(scores(0.5), options)).continue).toBe(true);
    expect((await decide(scores(0.4, 1), options)).continue).toBe(false);
    expect((await decide(scores(0.9), { baseIterations: 1, bonusIterations: 0 })).reason).toBe(
      "all 1 iterations are used up, and the task is not complete",
    );
  });
});

describe("hybrid completes", () => {
  const red: ExampleIteration = { status: { tests: "failed", build: "passed" } };

  it("when the gates hold, whatever the criteria", async () => {
    const decision = await decide([{ status: "passed" }], { completionCriteria: [] });
    expect(decision).toEqual({
      continue: false,
      reason: "all wanted gates hold after iteration 1",
      confidence: 1,
    });
  });

  it("on a passed CI, as asked", async () => {
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

  it("on no changes, as asked", async () => {
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

  it("on nothing but the gates unless asked", async () => {
    const facts = [{ tree: "base", message: "DONE", status: red.status! }];
    expect(await decide(facts, {}, { task: { gates } })).toEqual({
      continue: true,
      reason: "on to iteration 2 of 3",
      confidence: 1,
    });
  });

  it("by the first criterion met, in the configured order", async () => {
    const facts = [{ ...red, tree: "base" }];
    const ci = await decide(facts, { completionCriteria: ["ci-pass", "no-changes"] }, { task: { gates } });
    const same = await decide(facts, { completionCriteria: ["no-changes", "ci-pass"] }, { task: { gates } });
    expect(ci.reason).toContain("CI passed");
    expect(same.reason).toContain("changed nothing");
  });

  it("on the level asked for, when a levels gate tells its levels", async () => {
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

describe("hybrid hears the agent's signal", () => {
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

  it("not from an agent that failed", async () => {
    expect((await decide([{ ...claim, ok: false }], options, { task: { gates: [] } })).continue).toBe(true);
  });
});

describe("hybrid sees loops", () => {
  const long = { baseIterations: 20 };
  const trees = (path: string) => [...path].map((tree) => ({ tree }));

  /** As a run would be after these, of which each was decided about. */
  const lived = async (path: string): Promise<ExampleIteration[]> => {
    const all: ExampleIteration[] = [];
    for (const facts of trees(path)) all.push({ ...facts, decision: await decide([...all, facts], long) });
    return all;
  };

  it.each([
    ["three equal states", "XYAAA", "iterations 3, 4 and 5 left the same files and the same verdicts"],
    ["two states in turn", "ABAB", "iterations 1, 2, 3 and 4 go back and forth between the same two states"],
    ["a longer round", "ABCABCA", "iterations 1, 4 and 7 left the same files and the same failures"],
  ])("of %s, and says once to take another way", async (_, path, what) => {
    const told = (await lived(path)).at(-1)?.decision;
    expect(told).toMatchObject({
      continue: true,
      reason: `${what}: told once to take another way`,
      feedback: expect.stringContaining("take a different approach"),
    });
  });

  it("and stops as stuck when the run has not left them in two iterations", async () => {
    const path = await lived("XYAAAAA");
    expect(path.map(({ decision }) => decision?.continue)).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(path.at(-1)?.decision).toMatchObject({
      confidence: 0.9,
      reason:
        "stuck: iterations 3, 4, 5, 6 and 7 left the same files and the same verdicts, also after it was told to take another way",
    });
    expect((await lived("XYAAABC")).at(-1)?.decision).toMatchObject({ continue: true });
  });

  it("and does not go on past its iterations to say so", async () => {
    expect(await decide(trees("AAA"), { baseIterations: 3 })).toMatchObject({
      continue: false,
      reason: "stuck: iterations 1, 2 and 3 left the same files and the same verdicts",
    });
  });

  it("unless they are switched off", async () => {
    expect((await decide(trees("AAAA"), { ...long, loopDetection: false })).continue).toBe(true);
  });
});

describe("hybrid accepts in part", () => {
  const half: ExampleIteration = { status: { tests: "failed", build: "passed" }, score: 0.5 };
  const task = { gates };

  it("from the iteration named, with a gate passed, when it would stop", async () => {
    expect(await decide([half, half, half], { acceptPartialAfter: 3 }, { task })).toMatchObject({
      continue: false,
      accept: true,
      reason: expect.stringContaining("accepted in part (build passed)"),
    });
    const stuck = Array(3).fill({ ...half, tree: "A" });
    expect(await decide(stuck, { acceptPartialAfter: 2, baseIterations: 3 }, { task })).toMatchObject({
      accept: true,
      reason: expect.stringContaining("stuck"),
    });
  });

  it.each([
    ["earlier", [half, half, half], { acceptPartialAfter: 4 }],
    ["with no gate passed", [{}, {}, {}], { acceptPartialAfter: 1 }],
    ["unless asked", [half, half, half], {}],
  ])("not %s", async (_, facts, options) => {
    const decision = await decide(facts, options, { task });
    expect(decision.continue).toBe(false);
    expect(decision.accept).toBeUndefined();
  });

  it("not while there are iterations left", async () => {
    expect((await decide([half, half], { acceptPartialAfter: 1 }, { task })).continue).toBe(true);
  });
});
