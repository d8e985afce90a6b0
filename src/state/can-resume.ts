// Whether a run can go on: what every door asks before it lets one.
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { App } from "./context.ts";

/** Throws when there is nothing to go on with. */
export function refuseConverged({ id, ended, delivered }: Run): void {
  if (ended?.outcome === "converged" && !ended.partial)
    throw new UsageError(
      `run ${id} has converged; there is nothing to resume${delivered?.problem === undefined ? "" : `; hand its work over with: converge deliver ${id}`}`,
    );
}

/** Throws when it goes on by itself. */
export function refuseAway({ id, state, waitingFor }: Run): void {
  if (state === "away")
    throw new UsageError(
      `run ${id} goes on in its session by itself (${waitingFor?.reason}); \`converge watch ${id}\` follows it`,
    );
}

/** It waits for a person, nobody has said anything yet, and there is still time to. */
export async function waitsForPeople(app: App, run: Run): Promise<boolean> {
  const until = run.waitingFor?.until;
  if (run.state !== "waiting" || (until !== undefined && Date.parse(until) <= Date.now())) return false;
  return (await app.store.inbox(run.id, run.inbox)).length === 0;
}
