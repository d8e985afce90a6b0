// Checks whether a run can be resumed; CLI, server and SDK all ask here.
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Context } from "./context.ts";

/** Throws when the run has converged. */
export function refuseConverged({ id, ended, delivered }: Run): void {
  if (ended?.outcome === "converged" && !ended.partial)
    throw new UsageError(
      `run ${id} has converged; there is nothing to resume${delivered?.problem === undefined ? "" : `; deliver it with: converge deliver ${id}`}`,
    );
}

/** Throws when the run continues in its own session. */
export function refuseAway({ id, state, waitingFor }: Run): void {
  if (state === "away")
    throw new UsageError(
      `run ${id} continues in its own session (${waitingFor?.reason}); follow it with: converge watch ${id}`,
    );
}

/** Whether the run waits for a person who has not answered, and the deadline has not passed. */
export async function isWaitingForPerson(app: Context, run: Run): Promise<boolean> {
  const until = run.waitingFor?.until;
  if (run.state !== "waiting" || (until !== undefined && Date.parse(until) <= Date.now())) return false;
  return (await app.store.inbox(run.id, run.inbox)).length === 0;
}
