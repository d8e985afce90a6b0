// Workers look after each other: what a dead one had under way goes back into the queue.
import { setTimeout as sleep } from "node:timers/promises";
import type { Presence } from "#spec/presence";

const LOOK_MS = 200;
/** A worker is taken for dead when it was missing for so long in every look; who reconnects needs less. */
const MISSING_MS = 500;
const FEW = 4;
const MOST_SELDOM = 25;
/** Strays are rare. */
const LOOKS_FOR_STRAYS = 10;

export interface Watch {
  readonly presence: Presence;
  /** Puts the work of this worker back into the queue. */
  readonly recover: (member: number) => Promise<void>;
  /** The workers that something in the queue is under way with. */
  readonly busy: () => Promise<ReadonlySet<number>>;
  readonly told: (text: string) => void;
}

/** Tells how many are there. */
async function look({ presence, recover, told }: Watch, missing: Map<number, number>): Promise<number> {
  const workers = await presence.workers();
  const dead = workers.filter(({ isHere }) => !isHere);
  const numbers = new Set(dead.map(({ member }) => member));
  for (const member of missing.keys()) if (!numbers.has(member)) missing.delete(member);
  for (const { member, host, pid } of dead) {
    const since = missing.get(member) ?? performance.now();
    missing.set(member, since);
    if (performance.now() - since < MISSING_MS) continue;
    await recover(member);
    // Last: until then another one would do it again, which does no harm.
    await presence.bury(member);
    missing.delete(member);
    told(`worker ${member} (process ${pid} on ${host}) is gone; what it had under way is in the queue again`);
  }
  return workers.length - dead.length;
}

/** Many need not look as often as few, unless one is missing: together they look about as often. */
function pause(workers: number, isMissing: boolean): number {
  const often = isMissing ? 1 : Math.min(MOST_SELDOM, Math.max(1, workers / FEW));
  return LOOK_MS * often * (0.75 + Math.random() / 2);
}

/** Whoever was buried while it was stopped may have taken something before it heard of that. */
async function findStrays({ presence, recover, busy }: Watch): Promise<void> {
  // In this order: whoever is at work has joined before.
  const atWork = await busy();
  const known = new Set((await presence.workers()).map(({ member }) => member));
  for (const member of atWork) if (!known.has(member)) await recover(member);
}

/** Until the signal is aborted. */
export async function watchPeers(watch: Watch, signal: AbortSignal): Promise<void> {
  const missing = new Map<number, number>();
  for (let looks = 0; !signal.aborted; looks++) {
    // Without the database nobody can be looked after, and nobody's absence means anything.
    const workers = await look(watch, missing).catch(() => {
      missing.clear();
      return 1;
    });
    if (looks % LOOKS_FOR_STRAYS === 0) await findStrays(watch).catch(() => {});
    await sleep(pause(workers, missing.size > 0), undefined, { signal }).catch(() => {});
  }
}
