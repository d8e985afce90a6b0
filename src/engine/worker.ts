// A worker: takes runs from the queue and drives them, several at once, until it is told to leave.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leaveWorkspaces } from "#app/elsewhere/leave";
import type { App } from "#app/open";
import { VERSION } from "#app/version";
import { UsageError } from "#spec/errors";
import type { Membership, Presence } from "#spec/presence";
import { privateDir } from "#system/files";
import { databaseOfQueue, dbos, executorNow, type Sdk } from "./dbos.ts";
import { type Desk, driveHere, type Next, type Wish } from "./drive-here.ts";
import { APPLICATION, DRIVE, executorOf, memberOf, PROTOCOL, queuesOf, SCHEMA } from "./names.ts";
import { watchPeers } from "./peers.ts";
import { entryFor } from "./queue.ts";
import { quietLogger } from "./quiet-logger.ts";
import { takeAtMost } from "./slots.ts";
import { makeTables } from "./tables.ts";

export interface WorkerOptions {
  readonly url: string;
  readonly labels: readonly string[];
  readonly concurrency: number;
  /** Aborted when it is to leave: what it drives is left as it is, for others. */
  readonly signal: AbortSignal;
  /** It is there, under this number. */
  readonly ready: (member: number) => void;
  readonly told: (text: string) => void;
}

/** Longer between tries, up to a few minutes. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;
const JOIN_AGAIN_MS = 1_000;

function startAfter(failures: number): string {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
  return new Date(Date.now() + pause * (0.5 + Math.random())).toISOString();
}

/** The runs under way in this process. */
class Under {
  readonly runs = new Map<Promise<unknown>, string>();
  add<T>(run: string, work: Promise<T>): Promise<T> {
    this.runs.set(work, run);
    return work.finally(() => this.runs.delete(work));
  }
}

interface Session {
  readonly membership: Membership;
  readonly desk: Desk;
  readonly under: Under;
  /** No more runs are taken. */
  isLeaving: boolean;
}

type Dbos = Sdk["DBOS"];
type Executor = ReturnType<typeof executorNow>;

/** Registered once for the process; `session` is the one of the moment. */
function registerDrive(DBOS: Dbos, session: () => Session) {
  const requeue = async (wish: Wish, next: Next) => {
    if (next.type === "done" || next.type === "left") return;
    const failed = next.type === "failed";
    const failures = failed ? wish.failures + 1 : wish.failures;
    const startAt = failed ? startAfter(failures) : next.startAt;
    const workflowID = `${wish.run}:${await DBOS.randomUUID()}`;
    const { options, args } = entryFor(wish.run, next.submission, {
      workflowID,
      startAt,
      failures,
      reopen: wish.reopen,
    });
    await DBOS.enqueueWorkflowWithOptions(options, ...args);
  };
  const drive = async (run: string, failures: number, reopen: number): Promise<void> => {
    const wish = { run, failures, reopen };
    const { desk, under } = session();
    const next = await DBOS.runStep(
      async () => {
        const reached = await under.add(run, driveHere(desk, wish));
        // Whoever leaves does not say how it went: the run goes on elsewhere.
        return reached.type === "left" ? new Promise<Next>(() => {}) : reached;
      },
      { name: DRIVE },
    );
    await requeue(wish, next);
  };
  // However often workers die under it, that is no fault of the run.
  DBOS.registerWorkflow(drive, { name: DRIVE, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER });
}

async function launch(DBOS: Dbos, session: Session, { url, labels, told }: WorkerOptions) {
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: SCHEMA,
    systemDatabasePoolSize: 5,
    executorID: executorOf(session.membership.member),
    applicationVersion: PROTOCOL,
    listenQueues: queuesOf(labels),
    maxConcurrentQueueDispatches: 1,
    runMigrations: false,
    logger: quietLogger((text) => told(`queue: ${text}`)),
  });
  await DBOS.launch();
  return executorNow();
}

async function busyIn({ systemDatabase }: Executor): Promise<ReadonlySet<number>> {
  const under = await systemDatabase.listWorkflows({ status: "PENDING", workflowName: DRIVE });
  return new Set(under.map(({ executorId }) => memberOf(executorId)));
}

const foldersOf = ({ home }: App): string => path.join(home.dir, "workers");

/** One membership long: until it is told to leave, or was taken for dead. */
async function serve(presence: Presence, app: App, options: WorkerOptions, use: (session: Session) => Dbos) {
  const { labels, concurrency, told } = options;
  const worker = { labels, concurrency, version: VERSION };
  const membership = await presence.join({ home: app.home.dir, worker });
  const over = AbortSignal.any([options.signal, membership.lost]);
  const dir = privateDir(path.join(foldersOf(app), String(membership.member)));
  const say = (run: string, text: string) => told(`run ${run}: ${text}`);
  const session: Session = {
    membership,
    desk: { app, dir, signal: over, told: say },
    under: new Under(),
    isLeaving: false,
  };
  const DBOS = use(session);
  const executor = await launch(DBOS, session, options).catch(async (error) => {
    // Otherwise it would seem to be there, and nobody would look after what it had.
    await DBOS.shutdown().catch(() => {});
    await membership.leave();
    throw error;
  });
  options.ready(membership.member);
  const recover = async (member: number) => {
    await executor.recoverPendingWorkflows([executorOf(member)]);
  };
  await watchPeers({ presence, recover, busy: () => busyIn(executor), told }, over);
  session.isLeaving = true;
  // First: what is being taken out of the queue at this moment has to be given back as well.
  await executor.deactivateEventReceivers();
  await Promise.allSettled(session.under.runs.keys());
  const { withDbRetry } = databaseOfQueue();
  if (!membership.lost.aborted) await withDbRetry(() => recover(membership.member));
  await DBOS.shutdown();
  await membership.leave();
}

/** What workers of this state folder made and left behind when they died. */
async function tidy(presence: Presence, app: App): Promise<void> {
  const folder = foldersOf(app);
  if (!fs.existsSync(folder)) return;
  const here = new Set((await presence.workers()).filter(({ isHere }) => isHere).map(({ member }) => member));
  for (const name of fs.readdirSync(folder))
    if (!here.has(Number(name))) await leaveWorkspaces(app, path.join(folder, name));
}

export async function work(app: App, options: WorkerOptions): Promise<void> {
  const { presence } = app.store;
  if (!presence) throw new UsageError("a worker needs a store that several machines share");
  const { DBOS } = dbos();
  await makeTables(options.url);
  let current: Session | undefined;
  registerDrive(DBOS, () => current as Session);
  const use = (session: Session) => {
    current = session;
    return DBOS;
  };
  takeAtMost((running) => (current && !current.isLeaving ? options.concurrency - running : 0));
  while (!options.signal.aborted) {
    try {
      await tidy(presence, app);
      await serve(presence, app, options, use);
      if (!options.signal.aborted) options.told("the database was away for too long; joining again");
    } catch (error) {
      // Whoever was never there has the wrong address; whoever was waits.
      if (!current) throw error;
      options.told((error as Error).message);
      await sleep(JOIN_AGAIN_MS, undefined, { signal: options.signal }).catch(() => {});
    }
  }
  await tidy(presence, app).catch(() => {});
}
