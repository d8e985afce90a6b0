// Sends notifications in the background: recording an event never waits for a delivery, and the end of a run waits only
// for a bounded time.
import path from "node:path";
import { foldAll } from "#loop/fold";
import { TamperedError, UsageError } from "#spec/errors";
import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import type { Home } from "#state/home";
import { type Clock, systemClock } from "#system/clock";
import type { Posted } from "#system/http-post";
import { lockHolder, takeLock } from "#system/lock";
import { withTimeout } from "#system/timeout";
import { driverOf } from "#views/run-view";
import { findAddress } from "./addresses.ts";
import { type Delivery, nameOf } from "./message.ts";
import { deliveriesOf, openOutbox, STALE_MS } from "./outbox.ts";
import { sendWithRetries } from "./send-with-retries.ts";

export interface NotifierOptions {
  readonly warn: (text: string) => void;
  readonly clock?: Pick<Clock, "sleep">;
  /** How long pending messages may take after the run is over. */
  readonly graceMs?: number;
}

export interface PendingOptions extends NotifierOptions {
  readonly signal: AbortSignal;
  /** The run that notifies for itself. */
  readonly except?: string;
}

export interface Attempt {
  readonly delivery: Delivery;
  readonly posted: Posted;
}

const GRACE_MS = 5_000;
const RETRY_EVERY_MS = 60_000;
const TRIES = 6;
const LOCK = "outbox";

/** Folder for the input and output of commands. */
export const notifyFilesDir = (home: Home) => path.join(home.dir, "notified");

/** Warns once per recipient about a failed delivery. */
function createWarner(warn: (text: string) => void) {
  const warned = new Set<string>();
  return ({ to }: Delivery, posted: Posted) => {
    const name = nameOf(to);
    if (posted.ok || warned.has(name)) return;
    warned.add(name);
    const next =
      posted.again === "never"
        ? "not retried"
        : "retried with the next run. Retry now with: converge notify --retry";
    warn(`notify: ${name}: ${posted.why}; ${next}`);
  };
}

/** Sends a message with retries and records the result in the outbox. */
function createSettler(app: Context, options: NotifierOptions, signal: AbortSignal) {
  const outbox = openOutbox(app.home);
  const complain = createWarner(options.warn);
  const tools = { find: findAddress(app.home), files: notifyFilesDir(app.home), signal };
  const retries = { tries: TRIES, clock: options.clock ?? systemClock };
  const attempt = async (delivery: Delivery): Promise<Posted> => {
    const { run, time } = delivery.notice;
    const isStale = Date.now() - Date.parse(time) > STALE_MS;
    const posted: Posted = isStale
      ? { ok: false, why: "not delivered within a week", again: "never" }
      : await sendWithRetries(delivery, tools, retries);
    if (posted.ok) outbox.settle(run, delivery.id, "delivered");
    else if (posted.again === "never") outbox.settle(run, delivery.id, isStale ? "stale" : "refused");
    return posted;
  };
  const settle = async (delivery: Delivery): Promise<Attempt> => {
    // A notification problem, such as a full disk, must not fail the run.
    const toPosted = (error: Error): Posted => ({ ok: false, why: error.message, again: "later" });
    const posted = await attempt(delivery).catch(toPosted);
    complain(delivery, posted);
    return { delivery, posted };
  };
  return { outbox, settle };
}

const isPending = ({ posted }: Attempt) => !posted.ok && posted.again !== "never";

/** The verified events of a run; none when the record is tampered with or belongs to another store. */
async function eventsOf(app: Context, id: string) {
  try {
    return await app.store.read(id);
  } catch (error) {
    if (error instanceof TamperedError || error instanceof UsageError) return [];
    throw error;
  }
}

/** Delivers everything pending of a run that has no driver. The driver of a run delivers for it. */
async function deliverFor(app: Context, id: string, { outbox, settle }: ReturnType<typeof createSettler>) {
  const events = await eventsOf(app, id);
  const run = foldAll(events);
  if (run && (await driverOf(app, run))) return [];
  const tried = run ? await Promise.all(outbox.pending(id, events).map(settle)) : [];
  if (!tried.some(isPending) && (run?.ended || outbox.isStale(id))) outbox.finish(id);
  return tried;
}

/** Delivers pending messages of all runs that have no driver. A lock allows one process at a time. */
export async function deliverPending(app: Context, options: PendingOptions): Promise<Attempt[]> {
  const { signal, except } = options;
  const tools = createSettler(app, options, signal);
  const runs = tools.outbox.runs().filter((id) => id !== except);
  const { locks } = app.home;
  // Check for a holder first: taking a lock that is held would wait for it.
  if (runs.length === 0 || lockHolder(locks, LOCK) !== undefined) return [];
  const lock = takeLock(locks, LOCK, LOCK);
  if (!lock.held) return [];
  const attempts: Attempt[] = [];
  try {
    for (const id of runs) if (!signal.aborted) attempts.push(...(await deliverFor(app, id, tools)));
    return attempts;
  } finally {
    lock.release();
  }
}

/** Retries pending notifications at an interval, for as long as a long-lived process runs. Returns a function that stops it. */
export function retryPending(app: Context, warn: (text: string) => void): () => void {
  const abort = new AbortController();
  const retry = () =>
    deliverPending(app, { warn, signal: abort.signal }).catch((error) =>
      warn(`notify: ${(error as Error).message}`),
    );
  void retry();
  const timer = setInterval(retry, RETRY_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    abort.abort();
  };
}

/** Notifies about the events that this process records for the run. Never throws. */
export function notifier(app: Context, run: Run, options: NotifierOptions): Observer {
  const abort = new AbortController();
  const { outbox, settle } = createSettler(app, options, abort.signal);
  const own: Promise<Attempt>[] = [];
  const complain = (error: unknown) => options.warn(`notify: ${(error as Error).message}`);
  const begin = async () => {
    if (!run.task.notify?.length) return;
    const wasPending = outbox.runs().includes(run.id);
    outbox.begin(run);
    if (!wasPending) return;
    const events = (await eventsOf(app, run.id)).filter(({ seq }) => seq <= run.seq);
    own.push(...outbox.pending(run.id, events).map(settle));
  };
  const started = begin().catch(complain);
  const others = deliverPending(app, { ...options, signal: abort.signal, except: run.id }).catch(complain);
  return {
    saw: (event, now) => {
      own.push(...deliveriesOf(event, now).map(settle));
    },
    close: async () => {
      const all = started.then(() => Promise.all(own));
      await withTimeout(options.graceMs ?? GRACE_MS, all);
      abort.abort();
      const attempts = await all;
      await others;
      if (!attempts.some(isPending)) outbox.finish(run.id);
    },
  };
}
