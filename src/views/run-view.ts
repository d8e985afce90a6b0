// What every door shows of a run: its fold, its numbers, and whether a process is at work on it.
import { foldAll } from "#loop/fold";
import { progressOf } from "#loop/progress";
import { TamperedError } from "#spec/errors";
import type { StateWord } from "#spec/overview";
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import type { RunRow } from "#spec/store";
import { loadDrivers } from "#state/acquire-run";
import type { App } from "#state/context";
import type { Holder } from "#system/lock";

export { fold, foldAll } from "#loop/fold";
export { progressOf } from "#loop/progress";
export { driverOf } from "#state/acquire-run";

export interface View {
  readonly run: Run;
  readonly progress: Progress;
  /** The process that drives it now. */
  readonly driver?: Holder;
}

/** As much of a view as its state in one word depends on. */
export interface Standing {
  readonly run: Pick<Run, "state" | "ended" | "submission">;
  readonly driver?: Holder | undefined;
}

/** A run whose record somebody changed: nothing in it is believed, so its row is all there is. */
export interface Tampered {
  readonly row: RunRow;
  readonly tampered: string;
}

/** The state in one word, as people see it: a run nobody drives, although it should go on, is `interrupted`, or a worker will. */
export function stateWord({ run, driver }: Standing): StateWord {
  if (run.ended) return run.ended.outcome;
  if (run.state === "running" && !driver && run.submission) return "queued";
  return run.state === "ended" || (run.state === "running" && !driver) ? "interrupted" : run.state;
}

type Drivers = Awaited<ReturnType<typeof loadDrivers>>;

function seen(run: Run, drivers: Drivers): View {
  const driver = run.ended ? undefined : drivers(run);
  return { run, progress: progressOf(run), ...(driver && { driver }) };
}

export async function viewOfRun(app: App, run: Run): Promise<View> {
  return seen(run, await loadDrivers(app, run.id));
}

export async function viewOf(app: App, id: string): Promise<View | undefined> {
  const run = foldAll(await app.store.read(id));
  return run && viewOfRun(app, run);
}

async function viewOfRow(app: App, row: RunRow, drivers: Drivers): Promise<View | Tampered | undefined> {
  try {
    const run = foldAll(await app.store.read(row.id));
    return run && seen(run, drivers);
  } catch (error) {
    if (error instanceof TamperedError) return { row, tampered: error.message };
    throw error;
  }
}

export async function viewAll(app: App, limit: number): Promise<(View | Tampered)[]> {
  const rows = (await app.store.runs()).slice(0, limit);
  const drivers = await loadDrivers(app);
  const views = await Promise.all(rows.map((row) => viewOfRow(app, row, drivers)));
  return views.filter((view) => view !== undefined);
}
