// Rejects commands to a run from its own agents, gates and hooks: they may read, only people may steer.
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import { lineage } from "#system/lineage";
import { driverOf, isLocal } from "./acquire-run.ts";
import type { Context } from "./context.ts";

/** Finds the run that started this process: by a mark on it or an ancestor, or because an ancestor drives the run. */
async function findStartingRun(app: Context, run: Run): Promise<string | undefined> {
  const [self, ...ancestors] = lineage();
  const driver = await driverOf(app, run);
  if (driver && isLocal(driver) && ancestors.some(({ pid }) => pid === driver.pid)) return run.id;
  const marks = new Set([self, ...ancestors].flatMap((ancestor) => ancestor?.run ?? []));
  // Runs of another state folder do not count: Converge's own tests may run as somebody's gate.
  for (const mark of marks) {
    // Hook commands carry the run's mark with a suffix.
    const [id = ""] = mark.split(".");
    if ((await app.store.read(id)).length > 0) return id;
  }
  return undefined;
}

/** Throws when the command comes from an agent, which must not approve or steer its own work. */
export async function refuseAgents(app: Context, run: Run, what: string): Promise<void> {
  const owner = await findStartingRun(app, run);
  if (owner === undefined) return;
  throw new UsageError(
    `an agent cannot ${what}: this process was started by run ${owner}; a person can, from a terminal of their own`,
  );
}
