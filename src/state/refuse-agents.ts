// Words to a run are for people: whatever works for a run, its agents, gates and hooks, may look but not speak.
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import { lineage } from "#system/lineage";
import { driverOf, isLocal } from "./acquire-run.ts";
import type { App } from "./context.ts";

/** The run that we were started by: by its mark on us or on one above us, or because its driver is one above us. */
async function startedBy(app: App, run: Run): Promise<string | undefined> {
  const [self, ...above] = lineage();
  const driver = await driverOf(app, run);
  if (driver && isLocal(driver) && above.some(({ pid }) => pid === driver.pid)) return run.id;
  const marks = new Set([self, ...above].flatMap((one) => one?.run ?? []));
  // Runs of another state folder are none of ours: it may be our own tests that run as somebody's gate.
  for (const mark of marks) {
    // A command that is told of a run carries the run's mark and a part of its own.
    const [id = ""] = mark.split(".");
    if ((await app.store.read(id)).length > 0) return id;
  }
  return undefined;
}

/** Throws when the word comes from an agent, which must not approve or steer its own work. */
export async function refuseAgents(app: App, run: Run, what: string): Promise<void> {
  const by = await startedBy(app, run);
  if (by === undefined) return;
  throw new UsageError(
    `an agent cannot ${what}: this process was started by run ${by}; a person can, from a terminal of their own`,
  );
}
