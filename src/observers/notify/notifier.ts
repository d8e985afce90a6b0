// Delivers beside the run: it hears of an event and goes on at once; when it is over there is a moment for what is on its way.
import path from "node:path";
import { foldAll } from "#loop/fold";
import { TamperedError, UsageError } from "#spec/errors";
import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import type { App } from "#state/context";
import type { Home } from "#state/home";
import { type Clock, systemClock } from "#system/clock";
import type { Posted } from "#system/http-post";
import { lockHolder, takeLock } from "#system/lock";
import { within } from "#system/timeout";
import { driverOf } from "#views/run-view";
import { findAddress } from "./addresses.ts";
import { type Delivery, nameOf } from "./message.ts";
import { deliveriesOf, openOutbox, STALE_MS } from "./outbox.ts";
import { deliver } from "./send-with-retries.ts";

export interface NotifierOptions {
  readonly warn: (text: string) => void;
  readonly clock?: Pick<Clock, "sleep">;
  /** How long what is on its way may take once the run is over. */
  readonly graceMs?: number;
}

export interface Outcome {
  readonly delivery: Delivery;
  readonly posted: Posted;
}

const GRACE_MS = 5_000;
const TRIES = 6;
const LOCK = "outbox";

/** Folder for what commands read and print. */
export const filesOf = (home: Home) => path.join(home.dir, "notified");

/** Tells of what went wrong once for each of those who are to be told. */
function complainer(warn: (text: string) => void) {
  const told = new Set<string>();
  return ({ to }: Delivery, posted: Posted) => {
    const name = nameOf(to);
    if (posted.ok || told.has(name)) return;
    told.add(name);
    const next =
      posted.again === "never"
        ? "it is not tried again"
        : "it is tried again with the next run, or with: converge notify --retry";
    warn(`notify: ${name}: ${posted.why}; ${next}`);
  };
}

/** Delivers, and writes down what is settled by that. */
function settler(app: App, options: NotifierOptions, signal: AbortSignal) {
  const outbox = openOutbox(app.home);
  const complain = complainer(options.warn);
  const means = { find: findAddress(app.home), files: filesOf(app.home), signal };
  const patience = { tries: TRIES, clock: options.clock ?? systemClock };
  const attempt = async (delivery: Delivery): Promise<Posted> => {
    const { run, time } = delivery.notice;
    const isStale = Date.now() - Date.parse(time) > STALE_MS;
    const posted: Posted = isStale
      ? { ok: false, why: "it could not be delivered for a week", again: "never" }
      : await deliver(delivery, means, patience);
    if (posted.ok) outbox.settle(run, delivery.id, "delivered");
    else if (posted.again === "never") outbox.settle(run, delivery.id, isStale ? "stale" : "refused");
    return posted;
  };
  const settle = async (delivery: Delivery): Promise<Outcome> => {
    // A full disk, say: no reason for a run to fail.
    const failed = (error: Error): Posted => ({ ok: false, why: error.message, again: "later" });
    const posted = await attempt(delivery).catch(failed);
    complain(delivery, posted);
    return { delivery, posted };
  };
  return { outbox, settle };
}

const isLeft = ({ posted }: Outcome) => !posted.ok && posted.again !== "never";

/** The events of a run that can be believed; none of one that cannot, or that another store has. */
async function eventsOf(app: App, id: string) {
  try {
    return await app.store.read(id);
  } catch (error) {
    if (error instanceof TamperedError || error instanceof UsageError) return [];
    throw error;
  }
}

/** Who drives a run delivers for it; of a run that nobody drives, everything that is left. */
async function deliverFor(app: App, id: string, { outbox, settle }: ReturnType<typeof settler>) {
  const events = await eventsOf(app, id);
  const run = foldAll(events);
  if (run && (await driverOf(app, run))) return [];
  const tried = run ? await Promise.all(outbox.pending(id, events).map(settle)) : [];
  if (!tried.some(isLeft) && (run?.ended || outbox.isStale(id))) outbox.finish(id);
  return tried;
}

/** Delivers what was left of runs that nobody drives now, `besides` aside. One process at a time does. */
export async function deliverPending(
  app: App,
  options: NotifierOptions,
  signal: AbortSignal,
  besides?: string,
): Promise<Outcome[]> {
  const tools = settler(app, options, signal);
  const runs = tools.outbox.runs().filter((id) => id !== besides);
  const { locks } = app.home;
  // Looked at first, because to take a lock that somebody has is to wait for it.
  if (runs.length === 0 || lockHolder(locks, LOCK) !== undefined) return [];
  const lock = takeLock(locks, LOCK, LOCK);
  if (!lock.held) return [];
  const outcomes: Outcome[] = [];
  try {
    for (const id of runs) if (!signal.aborted) outcomes.push(...(await deliverFor(app, id, tools)));
    return outcomes;
  } finally {
    lock.release();
  }
}

/** For the run that this process records events of, from now on. Throws nothing, whatever goes wrong. */
export function notifier(app: App, run: Run, options: NotifierOptions): Observer {
  const leave = new AbortController();
  const { outbox, settle } = settler(app, options, leave.signal);
  const own: Promise<Outcome>[] = [];
  const complain = (error: unknown) => options.warn(`notify: ${(error as Error).message}`);
  const begin = async () => {
    if (!run.task.notify?.length) return;
    const isLeftBefore = outbox.runs().includes(run.id);
    outbox.begin(run);
    if (!isLeftBefore) return;
    const events = (await eventsOf(app, run.id)).filter(({ seq }) => seq <= run.seq);
    own.push(...outbox.pending(run.id, events).map(settle));
  };
  const begun = begin().catch(complain);
  const others = deliverPending(app, options, leave.signal, run.id).catch(complain);
  return {
    saw: (event, now) => {
      own.push(...deliveriesOf(event, now).map(settle));
    },
    close: async () => {
      const all = begun.then(() => Promise.all(own));
      await within(options.graceMs ?? GRACE_MS, all);
      leave.abort();
      const outcomes = await all;
      await others;
      if (!outcomes.some(isLeft)) outbox.finish(run.id);
    },
  };
}
