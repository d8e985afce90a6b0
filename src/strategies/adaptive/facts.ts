// Extracts the facts of one iteration once, because its texts are long.
import type { Iteration } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { failingIn } from "../shared/cycle.ts";
import { joinSketches, type Sketch, sketchOf } from "../shared/likeness.ts";

const EMPTY_SKETCH = sketchOf("");

export interface Facts {
  readonly score: number;
  readonly tree: string | undefined;
  readonly words: Sketch;
  readonly output: Sketch;
  readonly failing: readonly string[] | undefined;
  readonly cost: number | undefined;
  readonly lines: number;
}

/** Undefined when no gate reports tests by name. */
function knownFailing(iteration: Iteration): readonly string[] | undefined {
  const ids = failingIn(iteration);
  const hasTestNames = iteration.verdicts.some(({ verdict }) => verdict.tests !== undefined);
  return hasTestNames || ids.length > 0 ? ids : undefined;
}

function outputOf({ evidence }: Verdict): string {
  return [evidence.stdout, evidence.stderr].filter(Boolean).join("\n");
}

/** Sketch of the output of all gates. */
function sketchOutputs({ verdicts }: Iteration): Sketch {
  const [first, ...more] = verdicts.map(({ verdict }) => sketchOf(outputOf(verdict)));
  if (!first) return EMPTY_SKETCH;
  return more.length === 0 ? first : joinSketches([first, ...more]);
}

export function factsOf(iteration: Iteration): Facts {
  const { agent } = iteration;
  const tokens = (agent?.usage.inputTokens ?? 0) + (agent?.usage.outputTokens ?? 0);
  return {
    score: iteration.score ?? 0,
    tree: iteration.snapshot?.tree,
    words: agent ? sketchOf(agent.message) : EMPTY_SKETCH,
    output: sketchOutputs(iteration),
    failing: knownFailing(iteration),
    cost: agent?.usage.costUsd ?? (tokens > 0 ? tokens : undefined),
    lines: iteration.snapshot?.changedLines ?? 0,
  };
}
