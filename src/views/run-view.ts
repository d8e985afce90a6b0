// Read model of a run for all front ends: its fold, its progress, and the process that drives it.
import { foldAll } from "#loop/fold";
import { progressOf } from "#loop/progress";
import { TamperedError } from "#spec/errors";
import type { StateWord } from "#spec/overview";
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import type { RunRow } from "#spec/store";
import { loadDrivers } from "#state/acquire-run";
import type { Context } from "#state/context";
import type { Holder } from "#system/lock";

export { fold, foldAll } from "#loop/fold";
export { progressOf } from "#loop/progress";
export { driverOf } from "#state/acquire-run";

export interface View {
  readonly run: Run;
  readonly progress: Progress;
  /** The process that drives the run now. */
  readonly driver?: Holder;
}

/** The part of a view that its state word depends on. */
export interface StateSource {
  readonly run: Pick<Run, "state" | "ended" | "submission">;
  readonly driver?: Holder | undefined;
}

/** A run with a tampered record: only its row is trusted. */
export interface Tampered {
  readonly row: RunRow;
  readonly tampered: string;
}

/** The displayed state: a running run without a driver is `queued` when a worker will take it, otherwise `interrupted`. */
export function stateWord({ run, driver }: StateSource): StateWord {
  if (run.ended) return run.ended.outcome;
  if (run.state === "running" && !driver && run.submission) return "queued";
  return run.state === "ended" || (run.state === "running" && !driver) ? "interrupted" : run.state;
}

type Drivers = Awaited<ReturnType<typeof loadDrivers>>;

function toView(run: Run, drivers: Drivers): View {
  const driver = run.ended ? undefined : drivers(run);
  return { run, progress: progressOf(run), ...(driver && { driver }) };
}

export async function viewOfRun(app: Context, run: Run): Promise<View> {
  return toView(run, await loadDrivers(app, run.id));
}

export async function viewOf(app: Context, id: string): Promise<View | undefined> {
  const run = foldAll(await app.store.read(id));
  return run && viewOfRun(app, run);
}

async function viewOfRow(app: Context, row: RunRow, drivers: Drivers): Promise<View | Tampered | undefined> {
  try {
    const run = foldAll(await app.store.read(row.id));
    return run && toView(run, drivers);
  } catch (error) {
    if (error instanceof TamperedError) return { row, tampered: error.message };
    throw error;
  }
}

export async function viewAll(app: Context, limit: number): Promise<(View | Tampered)[]> {
  const rows = (await app.store.runs()).slice(0, limit);
  const drivers = await loadDrivers(app);
  const views = await Promise.all(rows.map((row) => viewOfRow(app, row, drivers)));
  return views.filter((view) => view !== undefined);
}
