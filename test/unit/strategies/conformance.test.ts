import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Strategy } from "#spec/strategy";
import { adaptive } from "#strategies/adaptive/adaptive";
import { fixed } from "#strategies/fixed";
import { hybrid } from "#strategies/hybrid";
import { manual } from "#strategies/manual";
import { ralph } from "#strategies/ralph";
import { type ExampleIteration, exampleRun } from "#testing/run";
import { strategyConformance } from "#testing/strategy";
import { anyCharacter } from "../../support/any-character.ts";

const everything = ["no-changes", "agent-signal", "ci-pass", "verification-pass"] as const;
const strategies: readonly [string, () => Strategy, number][] = [
  ["fixed", fixed, 10],
  ["hybrid", hybrid, 10],
  ["hybrid with numbers", () => hybrid({ baseIterations: 3 }), 3],
  [
    "hybrid with every criterion",
    () => hybrid({ baseIterations: 3, completionCriteria: everything, acceptPartialAfter: 1 }),
    3,
  ],
  ["ralph", ralph, 10],
  ["ralph that trusts", () => ralph({ trustSignal: true }), 10],
  ["adaptive", adaptive, 10],
  ["adaptive that is cheap", () => adaptive({ value: "cheap" }), 10],
  ["manual", manual, 1],
];

for (const [name, make, bound] of strategies) {
  strategyConformance(name, { make, bound }, { describe, it, expect });
}

describe("the conformance suite", () => {
  /** Runs the suite and returns the titles of the tests that fail. */
  async function failingTests(make: () => Strategy): Promise<string[]> {
    const tests: [string, () => Promise<void>][] = [];
    const api = {
      describe: (_: string, body: () => void) => body(),
      it: (...test: (typeof tests)[0]) => tests.push(test),
      expect,
    };
    strategyConformance("custom", { make, bound: 5 }, api);
    const failed: string[] = [];
    for (const [title, body] of tests) await body().catch(() => failed.push(title));
    return failed;
  }
  const stop = { continue: false, reason: "enough", confidence: 1 };

  const defects: [string, () => Strategy, string][] = [
    [
      "keeps state",
      () => {
        let calls = 0;
        return () => ({ ...stop, reason: `${++calls}` });
      },
      "makes the same decision again",
    ],
    [
      "writes into the run",
      () => (run) => {
        (run.iterations as unknown[]).push({});
        return stop;
      },
      "without changing the run",
    ],
    ["gives no reason", () => () => ({ ...stop, reason: " " }), "well-formed"],
    ["has a confidence above 1", () => () => ({ ...stop, confidence: 1.5 }), "well-formed"],
    ["has NaN as confidence", () => () => ({ ...stop, confidence: Number.NaN }), "well-formed"],
    ["accepts and continues", () => () => ({ ...stop, continue: true, accept: true }), "well-formed"],
    ["ignores green gates", () => () => ({ ...stop, continue: true }), "stops when the gates pass"],
    ["never ends", () => () => ({ ...stop, continue: true }), "stops within 5 iterations"],
    ["never starts", () => () => stop, "continues when nothing has been tried"],
  ];

  it.each(defects)("catches a strategy that %s", async (_, make, title) => {
    expect((await failingTests(make)).join("\n")).toContain(title);
  });

  it("passes a correct strategy", async () => {
    expect(await failingTests(() => hybrid({ baseIterations: 3, bonusIterations: 2 }))).toEqual([]);
  });
});

describe("on any history", () => {
  const message = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("", "DONE", "I tried.", "<promise>x</promise>"),
  );
  const iteration: fc.Arbitrary<ExampleIteration> = fc.record(
    {
      status: fc.constantFrom("passed", "failed", "waiting", "skipped", "errored"),
      score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      tree: fc.option(fc.constantFrom("base", "A", "B")),
      message,
      ok: fc.boolean(),
      prompt: message,
    },
    { requiredKeys: [] },
  );

  it.each(strategies)("%s decides deterministically, with a confidence within 0..1", async (_, make) => {
    await fc.assert(
      fc.asyncProperty(fc.array(iteration, { maxLength: 8 }), async (facts) => {
        const run = exampleRun(facts);
        const decision = await make()(run);
        expect(decision.reason).not.toBe("");
        expect(decision.confidence).toBeGreaterThanOrEqual(0);
        expect(decision.confidence).toBeLessThanOrEqual(1);
        expect(await make()(run)).toEqual(decision);
        if (facts.at(-1)?.status === "passed") expect(decision.continue).toBe(false);
        if (facts.length === 0) expect(decision.continue).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  /** Iterations that never count as success. */
  const red = iteration.map((facts): ExampleIteration => ({ ...facts, status: "failed" }));
  const limited = (facts: readonly ExampleIteration[], iterations: number) =>
    exampleRun(facts, { task: { limits: { iterations, iterationMs: 1, agentFailures: 99 } } });
  const bounded: readonly [string, () => Strategy, number][] = [
    ["fixed", () => fixed(), 4],
    ["hybrid", () => hybrid(), 4],
    ["hybrid with numbers", () => hybrid({ baseIterations: 2, bonusIterations: 2 }), 4],
    ["ralph", () => ralph(), 4],
    ["adaptive", () => adaptive({ value: "stubborn" }), 4],
  ];

  it.each(bounded)("%s never continues past its limit", async (_, make, most) => {
    await fc.assert(
      fc.asyncProperty(fc.array(red, { minLength: most, maxLength: most + 4 }), async (facts) => {
        expect((await make()(limited(facts, most))).continue).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it("adaptive continues with more iterations left when it continues with fewer", async () => {
    const cheap = adaptive({ value: "cheap" });
    await fc.assert(
      fc.asyncProperty(fc.array(red, { minLength: 1, maxLength: 8 }), fc.nat(12), async (facts, left) => {
        const few = await cheap(limited(facts, facts.length + left));
        if (few.continue) expect((await cheap(limited(facts, facts.length + left + 3))).continue).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
