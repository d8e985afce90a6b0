// Waits for the workspace lock while another session holds it, so that sessions in one folder are judged in turn.
// Does not wait for a run that is not a session's.
import { setTimeout as sleep } from "node:timers/promises";
import { foldAll } from "#loop/fold";
import { InUseError } from "#state/acquire-run";
import type { Context } from "#state/context";

const POLL_MS = 100;
/** Maximum number of polls while the lock's holder has no readable run. */
const MOST_UNKNOWN = 100;

/** Undefined while the run has no events: it locks its workspace before it writes any. */
async function isSession(app: Context, run: string): Promise<boolean | undefined> {
  const found = foldAll(await app.store.read(run));
  return found && found.task.agents[0]?.type === "session";
}

/** Retries `take` while another session's loop holds the workspace; throws InUseError when any other run does. */
export async function patiently<T>(app: Context, take: () => Promise<T>): Promise<T> {
  for (let unknown = 0; ; await sleep(POLL_MS))
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof InUseError)) throw error;
      const { holder } = error;
      const waits = (holder && (await isSession(app, holder.run))) ?? ++unknown < MOST_UNKNOWN;
      if (!waits) throw error;
    }
}
