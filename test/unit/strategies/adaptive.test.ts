import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "#spec/decision";
import { LESSON_VERSION, type Lesson, type Transition } from "#spec/lesson";
import type { Iteration } from "#spec/run";
import { type AdaptiveOptions, adaptive, transitionsOf } from "#strategies/adaptive/adaptive";
import { worthOf } from "#strategies/adaptive/expected-value";
import { PRIOR } from "#strategies/adaptive/features";
import { beliefIn, chanceOf, learn, type Weights, weightsOf } from "#strategies/adaptive/hazard";
import { weightsFor } from "#strategies/adaptive/learned";
import { type Observation, observationsOf } from "#strategies/adaptive/observations";
import { type ExampleIteration, exampleRun, exampleVerdict } from "#testing/run";

/** Iterations with new files each time, never a better score, and always the same message. */
const stuck = (length: number): ExampleIteration[] =>
  Array.from({ length }, (_, at) => ({ tree: `tree-${at}`, message: "I tried it once more.", score: 0.5 }));
const climbing = (length: number): ExampleIteration[] =>
  Array.from({ length }, (_, at) => ({ message: `Step ${"abcdefghij"[at]}`, score: at / (length + 1) }));

const lastSeen = (iterations: readonly ExampleIteration[]) =>
  observationsOf(exampleRun(iterations)).at(-1) as Observation;
const decide = async (iterations: readonly ExampleIteration[], options: AdaptiveOptions = {}, limit = 20) =>
  (await adaptive(options)(
    exampleRun(iterations, { task: { limits: { iterations: limit, iterationMs: 1, agentFailures: 3 } } }),
  )) as Decision;

/** Weights learned from many runs: those that went in circles failed, those that improved passed. */
const TAUGHT: Weights = learn(
  PRIOR,
  Array.from({ length: 150 }, () => [
    ...transitionsOf(exampleRun(stuck(8))),
    ...transitionsOf(exampleRun([...climbing(3), { status: "passed" }])),
  ]).flat(),
);

describe("adaptive", () => {
  it("runs the minimum number of iterations without lessons, however hopeless it looks", async () => {
    for (const length of [1, 2])
      expect(await decide(stuck(length), { value: 1 })).toMatchObject({ continue: true });
    expect(await decide(stuck(8), { value: 1.1 })).toMatchObject({ continue: true, rollbackTo: 1 });
  });

  it("learns that circles are hopeless, and gives its observations as the reason", async () => {
    const before = await decide(stuck(5));
    const after = await decide(stuck(5), { weights: TAUGHT });
    expect([before.rollbackTo, after.rollbackTo]).toEqual([undefined, 1]);
    expect(after.reason).toMatch(/not worth another iteration: .*the agent and the gates repeat themselves/);
    expect(after.confidence).toBeGreaterThan(0.5);
  });

  it("continues while the run improves, with probability, interval and number of further iterations", async () => {
    const decision = await decide(climbing(4), { weights: TAUGHT });
    expect(decision).toMatchObject({ continue: true });
    const { next, interval, within, grant, features } = decision.metadata as unknown as {
      next: number;
      interval: [number, number];
      within: number;
      grant: number;
      features: Record<string, number>;
    };
    expect(interval[0]).toBeLessThan(next);
    expect(interval[1]).toBeGreaterThan(next);
    expect(within).toBeGreaterThanOrEqual(next);
    expect(grant).toBeGreaterThanOrEqual(1);
    expect(features.progress).toBeGreaterThan(0);
    expect(features.length).toBeLessThan(0);
  });

  it("makes one fresh start from the best files with a new session, then gives up", async () => {
    const first = await decide(stuck(6), { weights: TAUGHT });
    expect(first).toMatchObject({
      continue: true,
      rollbackTo: 1,
      fresh: true,
      metadata: { chance: "restarted" },
    });
    expect(first.feedback).toContain("The files are back at the best state there was (iteration 1)");
    const again = stuck(8).map((each, at) => (at === 5 ? { ...each, decision: first } : each));
    expect(await decide(again, { weights: TAUGHT })).toMatchObject({
      continue: false,
      reason: /^not worth/,
    });
    // No fresh start with one iteration left, nor on the best files.
    expect(await decide(stuck(6), { weights: TAUGHT }, 7)).toMatchObject({ continue: false });
    expect(
      await decide(
        stuck(6)
          .map((each) => ({ ...each, tree: "one" }))
          .slice(0, 2),
        { weights: TAUGHT, value: 1.1 },
      ),
    ).toMatchObject({ continue: false });
  });

  it("steers once on a circle of any length, names the failing tests, and stops on the next circle", async () => {
    const failing = (id: string) => ({
      verdicts: [{ gate: "tests", verdict: exampleVerdict({ failures: [{ id, message: "no" }] }) }],
    });
    const round = (names: string): ExampleIteration[] =>
      [...names].map((tree) => ({ tree, ...failing("adds") }));
    expect(await decide(round("abcab"))).toMatchObject({ continue: true });
    const steered = await decide(round("abcabca"));
    expect(steered).toMatchObject({ continue: true, metadata: { chance: "steered" } });
    expect(steered.feedback).toContain("iterations 1, 4 and 7 left the same files and the same failures.");
    expect(steered.feedback).toContain("| adds");
    const warned = (names: string) =>
      round(names).map((each, at) => (at === 6 ? { ...each, decision: steered } : each));
    expect((await decide(warned("abcabcad"))).reason).not.toContain("stuck");
    expect(await decide(warned("abcabcab"))).toMatchObject({
      continue: false,
      reason: expect.stringMatching(/^stuck: iterations 2, 5 and 8 .* even after the agent was told/),
    });
    // Equal files with other failures are no circle: a flaky test, or a polling gate.
    const polling = ["a", "b", "c", "d"].map((id) => ({ tree: "same", ...failing(id) }));
    expect((await decide(polling)).metadata?.chance).toBeUndefined();
  });

  it("gives up later for a higher value of a solved task", async () => {
    const spent = async (value: AdaptiveOptions["value"]) => {
      for (let length = 1; length < 20; length++)
        if (
          (await decide(stuck(length), { weights: TAUGHT, value: value as number })).rollbackTo !== undefined
        )
          return length;
      return 20;
    };
    const lengths = await Promise.all((["cheap", "thrifty", "default", "stubborn"] as const).map(spent));
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
  });

  it("weighs the cost of an iteration when it is known", async () => {
    const paid = (last: number) => stuck(4).map((each, at) => ({ ...each, costUsd: at === 3 ? last : 1 }));
    // The cost is no learned feature here; it only counts as the price.
    const sure = weightsOf(
      PRIOR.mean,
      PRIOR.mean.map(() => 0),
    );
    const gain = (last: number) => worthOf(sure, lastSeen(paid(last)), { left: 3, value: 20 }).gain;
    expect(gain(9)).toBeLessThan(gain(1));
    expect(gain(1)).toBeCloseTo(worthOf(sure, lastSeen(stuck(4)), { left: 3, value: 20 }).gain, 10);
  });

  it("stops at the limit, even when another iteration would be worth its cost", async () => {
    expect(await decide(climbing(5), {}, 5)).toMatchObject({ continue: false, reason: /was the last/ });
  });

  it("ignores iterations whose agent failed", async () => {
    const failed = { ok: false, score: null, status: {} };
    expect(lastSeen([...climbing(2), failed, failed])).toEqual(lastSeen(climbing(2)));
    expect(
      transitionsOf(exampleRun([climbing(2)[0] as ExampleIteration, failed, { score: 0.4 }])),
    ).toHaveLength(1);
  });
});

describe("observations of adaptive", () => {
  it("count repeated files, at any distance and in a row", () => {
    const trees = (...names: string[]) => lastSeen(names.map((tree) => ({ tree })));
    expect(trees("a", "b", "c", "a")).toMatchObject({ repeated: true, repeats: 1, unchanged: 0 });
    expect(trees("a", "b", "b", "b")).toMatchObject({ repeated: true, repeats: 2, unchanged: 2 });
    expect(trees("a", "b", "c")).toMatchObject({ repeated: false, repeats: 0, unchanged: 0 });
  });

  it("count messages that differ only in numbers, and track the score", () => {
    const messages = ["Tried 1 of 3 ways.", "Tried 2 of 3 ways.", "Tried 33 of 3 ways."];
    expect(lastSeen(messages.map((message) => ({ message })))).toMatchObject({ sameWords: 2 });
    const scores = (...values: number[]) => lastSeen(values.map((score) => ({ score })));
    expect(scores(0.2, 0.5)).toMatchObject({ improved: true, stagnant: 0, best: 0.5 });
    expect(scores(0.5, 0.2, 0.3)).toMatchObject({ improved: false, stagnant: 2, best: 0.5, score: 0.3 });
  });
});

describe("the observation cache of adaptive", () => {
  it("separates runs with the same beginning, and iterations that were judged again", () => {
    const facts = ["a", "b", "c", "c", "a"].map((tree) => ({ tree, message: tree }));
    const one = exampleRun(facts);
    observationsOf(one);
    const [other] = exampleRun([{ tree: "c", message: "c" }]).iterations;
    const forked = {
      ...one,
      iterations: [...one.iterations.slice(0, 2), { ...other, number: 3 } as Iteration],
    };
    expect(observationsOf(forked).at(-1)).toMatchObject({ iterations: 3, repeated: false, repeats: 0 });
    expect(observationsOf(one)).toEqual(observationsOf(exampleRun(facts)));
    const again = { ...one, iterations: one.iterations.map((each) => ({ ...each, score: 0.7 })) };
    expect(observationsOf(again).at(-1)).toMatchObject({ score: 0.7, repeats: 2 });
  });
});

describe("the model of adaptive", () => {
  const features = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 16, maxLength: 16 });
  const transition: fc.Arbitrary<Transition> = fc.record({ features, passed: fc.boolean() });

  it("stays a probability and never gets less certain, whatever it learns", () => {
    fc.assert(
      fc.property(fc.array(transition, { maxLength: 60 }), features, (lessons, probe) => {
        const before = beliefIn(PRIOR, probe);
        const after = beliefIn(learn(PRIOR, lessons), probe);
        expect(chanceOf(after)).toBeGreaterThanOrEqual(0);
        expect(chanceOf(after)).toBeLessThanOrEqual(1);
        expect(after.deviation).toBeLessThanOrEqual(before.deviation + 1e-6);
      }),
      { numRuns: 50 },
    );
  });

  it("moves towards the observed outcomes", () => {
    const at = [1, ...Array<number>(15).fill(0.5)];
    const chance = (passed: boolean) =>
      chanceOf(beliefIn(learn(PRIOR, Array(30).fill({ features: at, passed })), at));
    expect(chance(true)).toBeGreaterThan(0.8);
    expect(chance(false)).toBeLessThan(0.05);
  });

  it("never values more remaining iterations less", () => {
    fc.assert(
      fc.property(
        fc.array(transition, { maxLength: 30 }),
        fc.integer({ min: 1, max: 15 }),
        (lessons, left) => {
          const weights = learn(PRIOR, lessons);
          const observation = lastSeen(climbing(3));
          const few = worthOf(weights, observation, { left, value: 100 });
          const many = worthOf(weights, observation, { left: left + 5, value: 100 });
          expect(many.gain).toBeGreaterThanOrEqual(few.gain - 1e-9);
          expect(many.within).toBeGreaterThanOrEqual(few.within - 1e-9);
        },
      ),
      { numRuns: 50 },
    );
  });

  const lesson = (workspace: string, agent: string, passed: boolean): Lesson => ({
    run: `${workspace}-${agent}`,
    v: LESSON_VERSION,
    workspace,
    agent,
    at: "2026-01-01T00:00:00.000Z",
    transitions: Array(20).fill({ features: [1, ...Array<number>(15).fill(0)], passed }),
  });
  const chanceIn = (lessons: Lesson[], workspace: string, agent = "a") =>
    chanceOf(beliefIn(weightsFor(lessons, { workspace, agent }), [1, ...Array<number>(15).fill(0)]));

  it("learns per project and agent, and starts a new one partway to the others", () => {
    const lessons = [lesson("one", "a", false)];
    const [own, other, none] = [chanceIn(lessons, "one"), chanceIn(lessons, "two"), chanceIn([], "two")];
    expect(own).toBeLessThan(other);
    expect(other).toBeLessThan(none);
    expect(chanceIn(lessons, "one", "b")).toBeCloseTo(other, 12);
    expect(weightsFor(lessons, { workspace: "two", agent: "a" }).transitions).toBe(0);
  });

  it("ignores lessons of another version", () => {
    expect(chanceIn([{ ...lesson("one", "a", false), v: 0 }], "one")).toBe(chanceIn([], "one"));
  });
});
