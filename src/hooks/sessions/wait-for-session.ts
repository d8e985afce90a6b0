// Two sessions in one folder are judged one after the other; a run that is no session's is not waited for.
import { setTimeout as sleep } from "node:timers/promises";
import { foldAll } from "#loop/fold";
import { InUseError } from "#state/acquire-run";
import type { Context } from "#state/context";

const POLL_MS = 100;
/** Looks at a workspace that somebody has of whom nothing is written yet, or no longer. */
const MOST_UNKNOWN = 100;

/** Undefined while nothing is written of the run: its workspace is taken first. */
async function isSession(app: Context, run: string): Promise<boolean | undefined> {
  const found = foldAll(await app.store.read(run));
  return found && found.task.agents[0]?.type === "session";
}

/** Takes a workspace as soon as no other session's loop has it; throws InUseError when another run does. */
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
