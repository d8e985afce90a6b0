// A worker: takes runs from the queue and drives them, several at once, until it is told to leave.
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "#spec/errors";
import type { Membership, Presence } from "#spec/presence";
import type { App } from "#state/context";
import { VERSION } from "#system/version";
import { databaseOfQueue, dbos, executorNow } from "./dbos.ts";
import type { Desk } from "./drive-here.ts";
import { folderOf, tidyFolders } from "./folders.ts";
import { APPLICATION, DRIVE, executorOf, memberOf, PROTOCOL, queuesOf, SCHEMA } from "./names.ts";
import { throwAwayOld } from "./old-entries.ts";
import { watchPeers } from "./peers.ts";
import { quietLogger } from "./quiet-logger.ts";
import { takeAtMost } from "./slots.ts";
import { makeTables } from "./tables.ts";
import { registerDrive, Under } from "./workflow.ts";

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

const JOIN_AGAIN_MS = 1_000;

interface Session {
  readonly membership: Membership;
  readonly desk: Desk;
  readonly under: Under;
  /** No more runs are taken. */
  isLeaving: boolean;
}

type Executor = ReturnType<typeof executorNow>;

async function launch({ membership }: Session, { url, labels, told }: WorkerOptions): Promise<Executor> {
  const { DBOS } = dbos();
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: SCHEMA,
    systemDatabasePoolSize: 5,
    executorID: executorOf(membership.member),
    applicationVersion: PROTOCOL,
    listenQueues: queuesOf(labels),
    maxConcurrentQueueDispatches: 1,
    runMigrations: false,
    logger: quietLogger((text) => told(`queue: ${text}`)),
  });
  try {
    await DBOS.launch();
    return executorNow();
  } catch (error) {
    // Otherwise it would seem to be there, and nobody would look after what it had.
    await DBOS.shutdown().catch(() => {});
    await membership.leave();
    throw error;
  }
}

async function busyIn({ systemDatabase }: Executor): Promise<ReadonlySet<number>> {
  const under = await systemDatabase.listWorkflows({
    status: "PENDING",
    workflowName: DRIVE,
    loadInput: false,
    loadOutput: false,
  });
  return new Set(under.map(({ executorId }) => memberOf(executorId)));
}

async function join(presence: Presence, app: App, options: WorkerOptions): Promise<Session> {
  const { labels, concurrency, told } = options;
  const worker = { labels, concurrency, version: VERSION };
  const membership = await presence.join({ home: app.home.dir, worker });
  const signal = AbortSignal.any([options.signal, membership.lost]);
  const say = (run: string, text: string) => told(`run ${run}: ${text}`);
  const desk = { app, dir: folderOf(app, membership.member), signal, told: say };
  return { membership, desk, under: new Under(), isLeaving: false };
}

/** One membership long: until it is told to leave, or was taken for dead. */
async function serve(presence: Presence, session: Session, options: WorkerOptions): Promise<void> {
  const { membership, desk, under } = session;
  const executor = await launch(session, options);
  options.ready(membership.member);
  const recover = async (member: number) => {
    await executor.recoverPendingWorkflows([executorOf(member)]);
  };
  void throwAwayOld(executor, desk.signal);
  await watchPeers({ presence, recover, busy: () => busyIn(executor), told: options.told }, desk.signal);
  session.isLeaving = true;
  // First: what is being taken out of the queue at this moment has to be given back as well.
  await executor.deactivateEventReceivers();
  await under.over();
  const { withDbRetry } = databaseOfQueue();
  if (!membership.lost.aborted) await withDbRetry(() => recover(membership.member));
  await dbos().DBOS.shutdown();
  await membership.leave();
}

export async function work(app: App, options: WorkerOptions): Promise<void> {
  const { presence } = app.store;
  if (!presence) throw new UsageError("a worker needs a store that several machines share");
  // First: an address that is wrong is told as such.
  await presence.workers();
  await makeTables(options.url);
  let current: Session | undefined;
  registerDrive(() => current as Session);
  takeAtMost((running) => (current && !current.isLeaving ? options.concurrency - running : 0));
  while (!options.signal.aborted) {
    try {
      await tidyFolders(presence, app);
      const session = await join(presence, app, options);
      current = session;
      await serve(presence, session, options);
      if (!options.signal.aborted) options.told("the database was away for too long; joining again");
    } catch (error) {
      // Whoever was never there has the wrong address; whoever was waits.
      if (!current) throw error;
      options.told((error as Error).message);
      await sleep(JOIN_AGAIN_MS, undefined, { signal: options.signal }).catch(() => {});
    }
  }
  await tidyFolders(presence, app).catch(() => {});
}
