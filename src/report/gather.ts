// Collects the data of a report: the verified record of a run, and its diffs with size limits.

import { shortDiffs } from "#runs/snapshots";
import { UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import type { Context } from "#state/context";
import { overviewOf } from "#views/overview";
import { viewOf } from "#views/run-view";
import type { ProtectedChange, ReceivedCommand, ReportDiff, ReportFacts } from "./facts.ts";

const WHOLE_DIFF_BYTES = 400_000;
const ITERATION_DIFF_BYTES = 100_000;
/** Limit of all diffs together; later iterations are listed without a diff. */
const ALL_DIFFS_BYTES = 2_000_000;

interface DiffStep {
  readonly iteration?: number;
  readonly from: string;
  readonly to: string;
}

/** The whole run, then each iteration with changes. */
function stepsOf(run: Run): DiffStep[] {
  const base = run.baseline.snapshot?.tree;
  const last = run.iterations.findLast(({ snapshot }) => snapshot)?.snapshot?.tree;
  if (base === undefined || last === undefined) return [];
  const each = run.iterations.flatMap(({ number, from = base, snapshot }) =>
    snapshot && snapshot.tree !== from ? [{ iteration: number, from, to: snapshot.tree }] : [],
  );
  return base === last ? each : [{ from: base, to: last }, ...each];
}

async function diffsOf(app: Context, run: Run): Promise<ReportDiff[]> {
  const steps = stepsOf(run);
  if (steps.length === 0) return [];
  const trees = await shortDiffs(
    app,
    run,
    steps.flatMap(({ from, to }) => [from, to]),
  );
  const diffs: ReportDiff[] = [];
  let remaining = ALL_DIFFS_BYTES;
  try {
    for (const { iteration, from, to } of steps) {
      const limit = Math.min(remaining, iteration === undefined ? WHOLE_DIFF_BYTES : ITERATION_DIFF_BYTES);
      // Read one byte more than the limit to detect truncation.
      const { text, files } = await trees.between(from, to, limit + 1);
      const cut = Buffer.byteLength(text) > limit;
      remaining -= Math.min(limit, Buffer.byteLength(text));
      diffs.push({ ...(iteration !== undefined && { iteration }), text, files, cut });
    }
  } finally {
    await trees.close();
  }
  return diffs;
}

function protectedChangesIn(event: RunEvent): ProtectedChange[] {
  return event.type === "protected.changed" ? [event] : [];
}

function commandsIn(event: RunEvent): ReceivedCommand[] {
  return event.type === "command.received" ? [{ time: event.time, command: event.queued.command }] : [];
}

function finalOf(run: Run, iterations: readonly Iteration[]): Iteration | undefined {
  const judged = iterations.filter(({ verdicts }) => verdicts.length > 0);
  return judged.findLast(({ snapshot }) => snapshot?.tree === run.tree) ?? judged.at(-1);
}

export async function gatherReport(app: Context, id: string): Promise<ReportFacts> {
  const view = await viewOf(app, id);
  if (!view) throw new UsageError(`run ${id} has no events`);
  const { run } = view;
  const events = (await app.store.read(id)).filter(({ seq }) => seq <= run.seq);
  const overview = overviewOf(view, events);
  const all = [run.baseline, ...run.iterations];
  const iterations = all.filter(({ number }) => overview.rows.some((row) => row.number === number));
  const final = finalOf(run, iterations);
  return {
    overview,
    iterations,
    ...(final && { final }),
    commands: events.flatMap(commandsIn),
    protectedChanges: events.flatMap(protectedChangesIn),
    diffs: await diffsOf(app, run),
    madeAt: new Date().toISOString(),
  };
}
