// A worker: takes runs from the queue and drives several at once until it is stopped.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { deleteWorkspaces } from "#runs/placement/delete-workspace";
import { UsageError } from "#spec/errors";
import type { Membership, Presence } from "#spec/presence";
import type { Context } from "#state/context";
import { privateDir } from "#system/files";
import { VERSION } from "#system/version";
import { currentExecutor, dbos, patchConcurrency, queueDatabase, quietLogger } from "./dbos.ts";
import type { WorkerContext } from "./drive-here.ts";
import { APPLICATION, DRIVE, executorOf, memberOf, PROTOCOL, queuesOf, SCHEMA } from "./names.ts";
import { deleteOldEntries } from "./old-entries.ts";
import { watchPeers } from "./peers.ts";
import { makeTables } from "./tables.ts";
import { RunningWork, registerDrive } from "./workflow.ts";

export interface WorkerOptions {
  readonly url: string;
  readonly labels: readonly string[];
  readonly concurrency: number;
  /** Aborted when the worker has to leave: it stops its runs as they are, and other workers continue them. */
  readonly signal: AbortSignal;
  /** Called when the worker has joined. */
  readonly onReady: (member: number) => void;
  readonly log: (text: string) => void;
}

const REJOIN_MS = 1_000;

interface Session {
  readonly membership: Membership;
  readonly context: WorkerContext;
  readonly runningWork: RunningWork;
  /** Whether the worker takes no more runs. */
  isLeaving: boolean;
}

type Executor = ReturnType<typeof currentExecutor>;

async function launch({ membership }: Session, { url, labels, log }: WorkerOptions): Promise<Executor> {
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
    logger: quietLogger((text) => log(`queue: ${text}`)),
  });
  try {
    await DBOS.launch();
    return currentExecutor();
  } catch (error) {
    // Otherwise the worker would look alive, and nobody would recover its runs.
    await DBOS.shutdown().catch(() => {});
    await membership.leave();
    throw error;
  }
}

async function busyMembers({ systemDatabase }: Executor): Promise<ReadonlySet<number>> {
  const runningWork = await systemDatabase.listWorkflows({
    status: "PENDING",
    workflowName: DRIVE,
    loadInput: false,
    loadOutput: false,
  });
  return new Set(runningWork.map(({ executorId }) => memberOf(executorId)));
}

/** Workspace folders of the workers of one state folder: one per worker, never shared. */
const foldersOf = ({ home }: Context): string => path.join(home.dir, "workers");

const folderOf = (app: Context, member: number): string =>
  privateDir(path.join(foldersOf(app), String(member)));

/** Deletes the workspaces of workers that are gone. */
async function deleteStaleFolders(presence: Presence, app: Context): Promise<void> {
  const folder = foldersOf(app);
  if (!fs.existsSync(folder)) return;
  const workers = await presence.workers();
  const alive = new Set(workers.filter(({ isHere }) => isHere).map(({ member }) => member));
  for (const name of fs.readdirSync(folder))
    if (!alive.has(Number(name))) await deleteWorkspaces(app, path.join(folder, name));
}

async function join(presence: Presence, app: Context, options: WorkerOptions): Promise<Session> {
  const { labels, concurrency, log } = options;
  const worker = { labels, concurrency, version: VERSION };
  const membership = await presence.join({ home: app.home.dir, worker });
  const signal = AbortSignal.any([options.signal, membership.lost]);
  membership.lost.addEventListener("abort", () => log("lost contact with the database; ending the agents"));
  const logRun = (run: string, text: string) => log(`run ${run}: ${text}`);
  const context = { app, dir: folderOf(app, membership.member), signal, log: logRun };
  return { membership, context, runningWork: new RunningWork(), isLeaving: false };
}

/** Serves for one membership: until the worker has to leave, or was declared dead. */
async function serve(presence: Presence, session: Session, options: WorkerOptions): Promise<void> {
  const { membership, context, runningWork } = session;
  const executor = await launch(session, options);
  options.onReady(membership.member);
  const recover = async (member: number) => {
    await executor.recoverPendingWorkflows([executorOf(member)]);
  };
  void deleteOldEntries(executor, context.signal);
  await watchPeers(
    { presence, recover, busy: () => busyMembers(executor), log: options.log },
    context.signal,
  );
  session.isLeaving = true;
  // First stop taking entries: what is being dequeued at this moment has to go back as well.
  await executor.deactivateEventReceivers();
  await runningWork.settled();
  const { withDbRetry } = queueDatabase();
  if (!membership.lost.aborted) await withDbRetry(() => recover(membership.member));
  await dbos().DBOS.shutdown();
  await membership.leave();
}

export async function work(app: Context, options: WorkerOptions): Promise<void> {
  const { presence } = app.store;
  if (!presence) throw new UsageError("a worker needs a shared database: set CONVERGE_DATABASE_URL");
  // First query the database, so that a wrong address gives its own error.
  await presence.workers();
  await makeTables(options.url);
  let current: Session | undefined;
  registerDrive(() => current as Session);
  patchConcurrency((running) => (current && !current.isLeaving ? options.concurrency - running : 0));
  while (!options.signal.aborted) {
    try {
      await deleteStaleFolders(presence, app);
      const session = await join(presence, app, options);
      current = session;
      await serve(presence, session, options);
      if (!options.signal.aborted) options.log("the database was unreachable for too long; joining again");
    } catch (error) {
      // A failure before the first join means a wrong address: report it. Later failures are retried.
      if (!current) throw error;
      options.log((error as Error).message);
      await sleep(REJOIN_MS, undefined, { signal: options.signal }).catch(() => {});
    }
  }
  await deleteStaleFolders(presence, app).catch(() => {});
}
