// Locks a workspace to one run and a run to one driver, kills processes of an earlier attempt, or reports the holder.
import fs from "node:fs";
import os from "node:os";
import { UsageError } from "#spec/errors";
import type { Claim, Driver, Kinds } from "#spec/presence";
import type { Run } from "#spec/run";
import { type Holder, lockHolder, takeLock } from "#system/lock";
import { sweep } from "#system/sweep";
import type { Context } from "./context.ts";

type RunPlace = Pick<Run, "id" | "dir">;

/** Another run holds the workspace, or another process drives the run. */
export class InUseError extends UsageError {
  constructor(
    message: string,
    readonly holder: Holder | undefined,
  ) {
    super(message);
  }
}

/** The capacity limit is reached, so the run has to wait. */
export class FullError extends UsageError {}

export interface Hold {
  /** Aborted when another machine may have taken the run; absent for a store that only this machine uses. */
  readonly lost?: AbortSignal;
  release(): Promise<void>;
}

function inUseError(what: string, holder: Holder | undefined): InUseError {
  const who = holder
    ? `run ${holder.run} (process ${holder.pid} on ${holder.host}) since ${holder.since}`
    : "another run";
  const run = holder?.run ?? "last";
  return new InUseError(
    `${what} is in use by ${who}; watch it with \`converge watch ${run}\`, or end it with \`converge stop ${run}\``,
    holder,
  );
}

/** The folder may be missing because the run was imported or the folder was deleted. */
function refuseMissingWorkspace({ id, dir }: RunPlace): void {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UsageError(
    `the workspace ${dir} of run ${id} does not exist; restore the folder, or name the local one of an imported run: converge import FILE --workspace DIR`,
  );
}

/** The keys by which concurrency limits count a run: repository and agent. */
export function limitKeys({ submission, task }: Pick<Run, "submission" | "task">): Kinds {
  return {
    repository: submission?.repository ?? task.workspace.git?.url ?? task.workspace.dir,
    agent: task.agents[0]?.type ?? "",
  };
}

/** Claims the run for all machines; undefined for a store of this machine only. With `kinds` it counts against the limits. */
export async function claimRun(app: Context, id: string, kinds?: Kinds): Promise<Claim | undefined> {
  const { presence } = app.store;
  if (!presence) return undefined;
  const claimed = await presence.claim(id, { home: app.home.dir, ...(kinds && { kinds }) });
  if (claimed.held) return claimed;
  if ("driver" in claimed) throw inUseError(`run ${id}`, claimed.driver);
  throw new FullError(
    `the limit of concurrent runs is reached (${claimed.full}: ${claimed.limit}); run ${id} waits until one of them ends`,
  );
}

async function lockFolder(
  app: Context,
  { id, dir }: RunPlace,
  warn: (text: string) => void,
): Promise<() => void> {
  refuseMissingWorkspace({ id, dir });
  const lock = takeLock(app.home.locks, app.home.lockName(dir), id);
  if (!lock.held) throw inUseError(`the workspace ${dir}`, lock.holder);
  // A holder that crashed may have left an agent running, which must not work beside the next one.
  const orphans = lock.died ? await sweep(lock.died.run) : [];
  if (orphans.length > 0) warn(`ended processes of an earlier attempt: ${orphans.join(", ")}`);
  return lock.release;
}

/** Releases the claim when the work fails. */
export async function releaseOnError(claim: Claim | undefined, work: () => Promise<Hold>): Promise<Hold> {
  try {
    return await work();
  } catch (error) {
    await claim?.release();
    throw error;
  }
}

/** Locks the workspace of a run that is claimed already. */
export async function acquireClaimed(
  app: Context,
  { claim, ...place }: RunPlace & { readonly claim: Claim | undefined },
  warn: (text: string) => void = () => {},
): Promise<Hold> {
  const unlock = await lockFolder(app, place, warn);
  const release = async () => {
    unlock();
    await claim?.release();
  };
  return { release, ...(claim && { lost: claim.lost }) };
}

export async function acquireWorkspace(
  app: Context,
  place: RunPlace,
  warn: (text: string) => void = () => {},
): Promise<Hold> {
  refuseMissingWorkspace(place);
  const claim = await claimRun(app, place.id);
  return releaseOnError(claim, () => acquireClaimed(app, { id: place.id, dir: place.dir, claim }, warn));
}

/** The process on this machine that holds the workspace, whichever run it drives. */
export function holderOf(app: Context, { dir }: Pick<RunPlace, "dir">): Holder | undefined {
  const holder = lockHolder(app.home.locks, app.home.lockName(dir));
  return holder === "unknown" ? undefined : holder;
}

/** The process that drives the run, on this machine or on another. */
function findDriver(app: Context, run: RunPlace, others: ReadonlyMap<string, Driver>): Holder | undefined {
  const other = others.get(run.id);
  if (other) return other;
  const holder = holderOf(app, run);
  return holder?.run === run.id ? holder : undefined;
}

/** Looks up the drivers once, for any number of runs. */
export async function loadDrivers(
  app: Context,
  run?: string,
): Promise<(run: RunPlace) => Holder | undefined> {
  const others = (await app.store.presence?.drivers(run)) ?? new Map<string, Driver>();
  return (place) => findDriver(app, place, others);
}

export async function driverOf(app: Context, run: RunPlace): Promise<Holder | undefined> {
  return (await loadDrivers(app, run.id))(run);
}

/** Whether the process runs on this machine. */
export const isLocal = ({ host }: Holder): boolean => host === os.hostname();
