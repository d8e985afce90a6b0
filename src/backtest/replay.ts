// What a strategy would have done with a run that is over: asked after each iteration, with only what was known then.
import { decisionFor } from "#loop/standing";
import type { Iteration, Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";

/** A chance that a strategy told before an iteration, and what came. */
export interface Told {
  readonly chance: number;
  readonly passed: boolean;
}

export interface Replay {
  /** How many of its iterations the strategy would have let the run have. */
  readonly used: number;
  readonly told: readonly Told[];
}

type Undecided = Omit<Iteration, "decision" | "direction" | "note">;

/** What was decided then, by whom ever, is not part of it; nor what was noted later. */
function undecided({ decision: _, direction: __, note: ___, ...rest }: Iteration): Undecided {
  return rest;
}

/** The run before its first iteration was over. */
function begun(run: Run): Run {
  const { ended: _, delivered: __, stopping: ___, waitingFor: ____, reopenedAt: _____, ...rest } = run;
  return { ...rest, iterations: [], state: "running", steering: [], pausing: false, reopened: false };
}

/** As the run stood when `latest` had been judged and nobody had decided yet. */
function when(before: Run, latest: Undecided, next: Iteration | undefined): Run {
  return {
    ...before,
    iterations: [...before.iterations, latest],
    ...(latest.snapshot && { tree: latest.snapshot.tree }),
    ...(next && { elapsedMs: next.startedMs, updatedAt: next.startedAt }),
  };
}

/**
 * The last iteration is not asked about: whatever is decided there, nothing more is known. Waiting for a person is a stop, and
 * so is going back to earlier files: what would have come of them is not recorded.
 */
export async function replayed(run: Run, strategy: Strategy): Promise<Replay> {
  const told: Told[] = [];
  let then = begun(run);
  for (const [at, iteration] of run.iterations.slice(0, -1).entries()) {
    const next = run.iterations[at + 1];
    const latest = undecided(iteration);
    then = when(then, latest, next);
    const decision = await decisionFor(then, strategy);
    const chance = decision.metadata?.next;
    if (typeof chance === "number" && chance >= 0 && chance <= 1)
      told.push({ chance, passed: (next?.score ?? 0) >= 1 });
    if (!decision.continue || decision.rollbackTo !== undefined) return { used: at + 1, told };
    const { note } = iteration;
    const decided: Iteration = { ...latest, decision, ...(note && { note }) };
    then = { ...then, iterations: [...then.iterations.slice(0, -1), decided] };
  }
  return { used: run.iterations.length, told };
}
