// Failure detection between workers: puts the runs of a dead worker back into the queue.
import { setTimeout as sleep } from "node:timers/promises";
import type { Presence } from "#spec/presence";

const POLL_MS = 200;
/** A worker is declared dead after it was missing for so long in every check; a reconnect takes less. */
const MISSING_MS = 500;
const WORKERS_PER_POLL = 4;
const MAX_FACTOR = 25;
/** Checks between two searches for orphaned entries, which are rare. */
const CHECKS_PER_ORPHAN_SEARCH = 10;

export interface PeerWatch {
  readonly presence: Presence;
  /** Puts the work of this worker back into the queue. */
  readonly recover: (member: number) => Promise<void>;
  /** The workers that have queue entries in progress. */
  readonly busy: () => Promise<ReadonlySet<number>>;
  readonly log: (text: string) => void;
}

/** Returns the number of live workers. */
async function checkWorkers(
  { presence, recover, log }: PeerWatch,
  missing: Map<number, number>,
): Promise<number> {
  const workers = await presence.workers();
  const dead = workers.filter(({ isHere }) => !isHere);
  const numbers = new Set(dead.map(({ member }) => member));
  for (const member of missing.keys()) if (!numbers.has(member)) missing.delete(member);
  for (const { member, host, pid } of dead) {
    const since = missing.get(member) ?? performance.now();
    missing.set(member, since);
    if (performance.now() - since < MISSING_MS) continue;
    await recover(member);
    // Last: if this worker dies before, another one recovers again, which does no harm.
    await presence.bury(member);
    missing.delete(member);
    log(`worker ${member} (process ${pid} on ${host}) is gone; its runs are back in the queue`);
  }
  return workers.length - dead.length;
}

/** Poll interval. It grows with the number of workers, unless one is missing, so that the total load stays the same. */
function pollInterval(workers: number, isMissing: boolean): number {
  const factor = isMissing ? 1 : Math.min(MAX_FACTOR, Math.max(1, workers / WORKERS_PER_POLL));
  return POLL_MS * factor * (0.75 + Math.random() / 2);
}

/** A worker declared dead while it hung may have taken an entry before it learned that. */
async function recoverOrphans({ presence, recover, busy }: PeerWatch): Promise<void> {
  // In this order: a worker joins before it takes an entry.
  const busyMembers = await busy();
  const known = new Set((await presence.workers()).map(({ member }) => member));
  for (const member of busyMembers) if (!known.has(member)) await recover(member);
}

/** Runs until the signal is aborted. */
export async function watchPeers(watch: PeerWatch, signal: AbortSignal): Promise<void> {
  const missing = new Map<number, number>();
  for (let checks = 0; !signal.aborted; checks++) {
    // Without the database, absence means nothing.
    const workers = await checkWorkers(watch, missing).catch(() => {
      missing.clear();
      return 1;
    });
    if (checks % CHECKS_PER_ORPHAN_SEARCH === 0) await recoverOrphans(watch).catch(() => {});
    await sleep(pollInterval(workers, missing.size > 0), undefined, { signal }).catch(() => {});
  }
}
