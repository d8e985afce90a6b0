// Replays an ended run with a strategy: it decides after each iteration with only what was known then.
import { decisionFor } from "#loop/standing";
import type { Iteration, Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";

/** The chance that a strategy predicted before an iteration, and whether it passed. */
export interface Prediction {
  readonly chance: number;
  readonly passed: boolean;
}

export interface Replay {
  /** How many iterations the strategy would have allowed the run. */
  readonly used: number;
  readonly predictions: readonly Prediction[];
}

type Undecided = Omit<Iteration, "decision" | "direction" | "note">;

/** Removes what was decided or noted after the iteration. */
function withoutDecision({ decision: _, direction: __, note: ___, ...rest }: Iteration): Undecided {
  return rest;
}

/** The run before its first iteration. */
function beforeFirstIteration(run: Run): Run {
  const { ended: _, delivered: __, stopping: ___, waitingFor: ____, reopenedAt: _____, ...rest } = run;
  return { ...rest, iterations: [], state: "running", steering: [], pausing: false, reopened: false };
}

/** The run when `latest` had been judged, but not decided. */
function addJudged(before: Run, latest: Undecided, next: Iteration | undefined): Run {
  return {
    ...before,
    iterations: [...before.iterations, latest],
    ...(latest.snapshot && { tree: latest.snapshot.tree }),
    ...(next && { elapsedMs: next.startedMs, updatedAt: next.startedAt }),
  };
}

/**
 * The last iteration is not decided: nothing is recorded after it. Waiting for a person counts as a stop, and so does a
 * rollback, because its outcome is not recorded.
 */
export async function replayRun(run: Run, strategy: Strategy): Promise<Replay> {
  const predictions: Prediction[] = [];
  let current = beforeFirstIteration(run);
  for (const [at, iteration] of run.iterations.slice(0, -1).entries()) {
    const next = run.iterations[at + 1];
    const latest = withoutDecision(iteration);
    current = addJudged(current, latest, next);
    const decision = await decisionFor(current, strategy);
    const chance = decision.metadata?.next;
    if (typeof chance === "number" && chance >= 0 && chance <= 1)
      predictions.push({ chance, passed: (next?.score ?? 0) >= 1 });
    if (!decision.continue || decision.rollbackTo !== undefined) return { used: at + 1, predictions };
    const { note } = iteration;
    const withDecision: Iteration = { ...latest, decision, ...(note && { note }) };
    current = { ...current, iterations: [...current.iterations.slice(0, -1), withDecision] };
  }
  return { used: run.iterations.length, predictions };
}
