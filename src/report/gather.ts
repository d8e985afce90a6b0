// Gathers what a report tells of a run: its record, which is verified as it is read, and its diffs, bounded.

import { shortDiffs } from "#runs/snapshots";
import { UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import type { App } from "#state/context";
import { overviewOf } from "#views/overview";
import { viewOf } from "#views/run-view";
import type { DiffShown, ProtectedChange, ReportFacts, Said } from "./facts.ts";

const WHOLE_DIFF_BYTES = 400_000;
const ITERATION_DIFF_BYTES = 100_000;
/** Of all diffs together; the iterations that come later are named without theirs. */
const ALL_DIFFS_BYTES = 2_000_000;

interface Step {
  readonly iteration?: number;
  readonly from: string;
  readonly to: string;
}

/** The whole run, then each iteration that changed something. */
function stepsOf(run: Run): Step[] {
  const base = run.baseline.snapshot?.tree;
  const last = run.iterations.findLast(({ snapshot }) => snapshot)?.snapshot?.tree;
  if (base === undefined || last === undefined) return [];
  const each = run.iterations.flatMap(({ number, from = base, snapshot }) =>
    snapshot && snapshot.tree !== from ? [{ iteration: number, from, to: snapshot.tree }] : [],
  );
  return base === last ? each : [{ from: base, to: last }, ...each];
}

async function diffsOf(app: App, run: Run): Promise<DiffShown[]> {
  const steps = stepsOf(run);
  if (steps.length === 0) return [];
  const trees = await shortDiffs(
    app,
    run,
    steps.flatMap(({ from, to }) => [from, to]),
  );
  const shown: DiffShown[] = [];
  let left = ALL_DIFFS_BYTES;
  try {
    for (const { iteration, from, to } of steps) {
      const most = Math.min(left, iteration === undefined ? WHOLE_DIFF_BYTES : ITERATION_DIFF_BYTES);
      // One byte more than is shown tells whether there is more.
      const { text, files } = await trees.between(from, to, most + 1);
      const cut = Buffer.byteLength(text) > most;
      left -= Math.min(most, Buffer.byteLength(text));
      shown.push({ ...(iteration !== undefined && { iteration }), text, files, cut });
    }
  } finally {
    await trees.close();
  }
  return shown;
}

function protectedIn(event: RunEvent): ProtectedChange[] {
  return event.type === "protected.changed" ? [event] : [];
}

function saidIn(event: RunEvent): Said[] {
  return event.type === "command.received" ? [{ time: event.time, command: event.queued.command }] : [];
}

function finalOf(run: Run, iterations: readonly Iteration[]): Iteration | undefined {
  const judged = iterations.filter(({ verdicts }) => verdicts.length > 0);
  return judged.findLast(({ snapshot }) => snapshot?.tree === run.tree) ?? judged.at(-1);
}

export async function gatherReport(app: App, id: string): Promise<ReportFacts> {
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
    said: events.flatMap(saidIn),
    protectedChanges: events.flatMap(protectedIn),
    diffs: await diffsOf(app, run),
    madeAt: new Date().toISOString(),
  };
}
