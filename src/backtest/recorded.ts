// Reads recorded runs from the store for a backtest.
import { foldAll } from "#loop/fold";
import { limitReason } from "#loop/limits";
import { agentOf, projectOf } from "#rules/project";
import { TamperedError, UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { findRun } from "#state/find-run";
import type { Sequence } from "./sequence.ts";

const SOURCE = "recorded runs";

/** Whether it passed or was given up. An end by a person, an error or an agent failure says nothing about strategies. */
function isWhole({ ended }: Run): boolean {
  return ended?.outcome === "diverged" || (ended?.outcome === "converged" && !ended.partial);
}

/** Returns undefined for a run that has not ended, or ended before an agent worked. */
function sequenceOf(run: Run): Sequence | undefined {
  if (!run.ended || run.iterations.length === 0) return undefined;
  const solved = run.ended.outcome === "converged" && !run.ended.partial;
  return {
    source: SOURCE,
    place: { workspace: projectOf(run.task.workspace), agent: agentOf(run.task) },
    task: run.task.prompt,
    run,
    solved,
    whole: isWhole(run),
    givenUp: !solved && limitReason(run) === undefined,
  };
}

export interface RecordedRuns {
  readonly sequences: readonly Sequence[];
  /** Runs with a tampered record. */
  readonly unread: readonly string[];
}

/** The named runs, or all ended ones, oldest first. */
export async function recordedRuns(app: Context, named: readonly string[]): Promise<RecordedRuns> {
  const wanted = new Set<string>();
  for (const given of named) wanted.add(await findRun(app, given));
  const rows = (await app.store.runs()).toReversed();
  const sequences: Sequence[] = [];
  const unread: string[] = [];
  for (const { id } of rows.filter((row) => wanted.size === 0 || wanted.has(row.id))) {
    try {
      const run = foldAll(await app.store.read(id));
      const sequence = run && sequenceOf(run);
      if (sequence) sequences.push(sequence);
      else if (wanted.has(id)) throw notReplayable(id);
    } catch (error) {
      if (!(error instanceof TamperedError) || wanted.has(id)) throw error;
      unread.push(id);
    }
  }
  return { sequences, unread };
}

function notReplayable(id: string): UsageError {
  return new UsageError(
    `run ${id} cannot be replayed: it has not ended, or no agent worked in it. Show its state with: converge show ${id}`,
  );
}
