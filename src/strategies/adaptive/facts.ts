// What one iteration says about itself, read once: texts are long.
import type { Iteration } from "#spec/run";
import { stable } from "#spec/stable";
import type { Verdict } from "#spec/verdict";
import { joined, type Sketch, sketchOf } from "../likeness.ts";

const NOTHING = sketchOf("");

export interface Facts {
  readonly score: number;
  readonly tree: string | undefined;
  readonly words: Sketch;
  readonly output: Sketch;
  readonly failing: readonly string[] | undefined;
  readonly cost: number | undefined;
  readonly lines: number;
}

function failingIn({ verdicts }: Iteration): readonly string[] | undefined {
  const failures = verdicts.flatMap(({ verdict }) => verdict.failures);
  const ids = failures.flatMap(({ id }) => (id === undefined ? [] : [stable(id)]));
  const named = verdicts.some(({ verdict }) => verdict.tests !== undefined);
  return named || ids.length > 0 ? [...new Set(ids)].sort() : undefined;
}

function outputOf({ evidence }: Verdict): string {
  return [evidence.stdout, evidence.stderr].filter(Boolean).join("\n");
}

/** What all gates printed together. */
function outputs({ verdicts }: Iteration): Sketch {
  const [first, ...more] = verdicts.map(({ verdict }) => sketchOf(outputOf(verdict)));
  if (!first) return NOTHING;
  return more.length === 0 ? first : joined([first, ...more]);
}

export function factsOf(iteration: Iteration): Facts {
  const { agent } = iteration;
  const tokens = (agent?.usage.inputTokens ?? 0) + (agent?.usage.outputTokens ?? 0);
  return {
    score: iteration.score ?? 0,
    tree: iteration.snapshot?.tree,
    words: agent ? sketchOf(agent.message) : NOTHING,
    output: outputs(iteration),
    failing: failingIn(iteration),
    cost: agent?.usage.costUsd ?? (tokens > 0 ? tokens : undefined),
    lines: iteration.snapshot?.changedLines ?? 0,
  };
}
