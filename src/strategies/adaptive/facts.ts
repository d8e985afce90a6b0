// What one iteration says about itself, read once: texts are long.
import type { Iteration } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { failingIn } from "../shared/cycle.ts";
import { joined, type Sketch, sketchOf } from "../shared/likeness.ts";

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

/** Undefined where nothing tells which tests there are. */
function knownFailing(iteration: Iteration): readonly string[] | undefined {
  const ids = failingIn(iteration);
  const named = iteration.verdicts.some(({ verdict }) => verdict.tests !== undefined);
  return named || ids.length > 0 ? ids : undefined;
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
    failing: knownFailing(iteration),
    cost: agent?.usage.costUsd ?? (tokens > 0 ? tokens : undefined),
    lines: iteration.snapshot?.changedLines ?? 0,
  };
}
