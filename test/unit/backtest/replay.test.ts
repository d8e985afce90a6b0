import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replayRun } from "#backtest/replay";
import type { Decision } from "#spec/decision";
import type { Strategy } from "#spec/strategy";
import { adaptive } from "#strategies/adaptive/adaptive";
import { fixed } from "#strategies/fixed";
import { hybrid } from "#strategies/hybrid";
import { manual } from "#strategies/manual";
import { ralph } from "#strategies/ralph";
import { exampleRun } from "#testing/run";
import { type Agent, converge, type Gate } from "../../../src/index.ts";
import { temporary } from "../../support/folders.ts";

interface Act {
  readonly file: string;
  readonly says: string;
  readonly score: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  file: fc.constantFrom("a", "b"),
  says: fc.constantFrom("Tried it once more.", "Another way altogether, through the parser."),
  score: fc.constantFrom(0.2, 0.5, 0.5, 0.9, 1),
});

/** An agent that loops: `adaptive` restarts it from its best files. */
const A_CIRCLE: Act[] = ["a", "a", "b", "a", "a"].map((file) => ({
  file,
  says: "Tried it once more.",
  score: 0.2,
}));

function played(acts: readonly Act[]): { agent: Agent; gates: Gate[] } {
  const at = (iteration: number) => acts[Math.min(iteration, acts.length) - 1] as Act;
  const agent: Agent = {
    name: "played",
    async *run({ iteration, dir }) {
      const { file, says } = at(iteration);
      fs.writeFileSync(path.join(dir, "work"), file);
      const result = { ok: true, exitCode: 0, message: says, usage: {}, durationMs: 1, leftBehind: [] };
      yield { type: "finished", result };
    },
  };
  const gate: Gate = {
    name: "tests",
    async judge({ iteration }) {
      const { score } = iteration === 0 ? { score: 0 } : at(iteration);
      const status = score === 1 ? "passed" : "failed";
      return {
        status,
        score,
        summary: status,
        failures: [],
        evidence: { stdout: `${score}` },
        durationMs: 1,
      };
    },
  };
  return { agent, gates: [gate] };
}

const STRATEGIES: readonly (readonly [string, () => Strategy])[] = [
  ["fixed", () => fixed()],
  ["hybrid", () => hybrid()],
  ["hybrid with numbers", () => hybrid({ baseIterations: 2, bonusIterations: 1 })],
  ["ralph", () => ralph({ windowSize: 2 })],
  ["adaptive", () => adaptive({ value: 2 })],
  ["manual, which waits", () => manual()],
];

/** Wraps a strategy and records its decisions. */
function recordDecisions(strategy: Strategy): { strategy: Strategy; answers: Decision[] } {
  const answers: Decision[] = [];
  const ask: Strategy = async (run) => {
    const decision = await strategy(run);
    answers.push(decision);
    return decision;
  };
  return { strategy: ask, answers };
}

async function live(acts: readonly Act[], strategy: Strategy) {
  const root = temporary();
  const [cwd, home] = [path.join(root, "workspace"), path.join(root, "home")];
  fs.mkdirSync(cwd);
  const limits = { iterations: acts.length };
  const task = {
    prompt: "Do it.",
    ...played(acts),
    strategy,
    limits,
    baseline: false,
    isolation: "off",
  } as const;
  return (await converge(task, { cwd, home })).run;
}

describe("a replay", () => {
  it.each(STRATEGIES)("makes the same decisions as the live loop with %s", async (_, make) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 5 }), async (acts) => {
        const whole = await live(acts, () => ({ continue: true, reason: "on", confidence: 1 }));
        const [then, again] = [recordDecisions(make()), recordDecisions(make())];
        const { iterations } = await live(acts, then.strategy);
        const { used } = await replayRun(whole, again.strategy);
        // The outcome of a rollback is not recorded, and the last iteration needs no decision.
        const back = then.answers.findIndex(({ rollbackTo }) => rollbackTo !== undefined);
        const known = back < 0 ? iterations.length : back + 1;
        expect(used).toBe(known);
        expect(again.answers).toEqual(then.answers.slice(0, Math.min(known, whole.iterations.length - 1)));
      }),
      { numRuns: 5, examples: [[A_CIRCLE]] },
    );
  });

  const long = exampleRun([{ score: 0.1 }, { score: 0.2 }, { status: "passed" }]);

  it("ends at a rollback, because its outcome is not recorded", async () => {
    const back: Strategy = () => ({ continue: true, rollbackTo: 0, reason: "", confidence: 1 });
    expect(await replayRun(long, back)).toEqual({ used: 1, predictions: [] });
  });

  it("records predicted chances with their outcomes", async () => {
    const tells: Strategy = () => ({
      continue: true,
      reason: "",
      confidence: 1,
      metadata: { next: 0.25 },
    });
    expect(await replayRun(long, tells)).toEqual({
      used: 3,
      predictions: [
        { chance: 0.25, passed: false },
        { chance: 0.25, passed: true },
      ],
    });
  });

  it("hides later decisions and events from the strategy", async () => {
    const observed: unknown[] = [];
    const looks: Strategy = (run) => {
      const { iterations, ended } = run;
      observed.push([
        iterations.map(({ decision }) => decision?.reason),
        iterations.at(-1)?.direction,
        ended,
      ]);
      return { continue: true, reason: "mine", confidence: 1 };
    };
    const iterations = long.iterations.map((one) => ({
      ...one,
      decision: { continue: true, reason: "then", confidence: 1 },
      direction: { type: "decide", choice: "stop" } as const,
    }));
    const ended = { outcome: "converged", reason: "", partial: false } as const;
    await replayRun({ ...long, iterations, ended, state: "ended" }, looks);
    expect(observed).toEqual([
      [[undefined], undefined, undefined],
      [["mine", undefined], undefined, undefined],
    ]);
  });
});
