// One run at a time per workspace, one driver at a time per run: taking both, with nobody of an earlier attempt left at
// work, or saying who has them.
import fs from "node:fs";
import os from "node:os";
import { UsageError } from "#spec/errors";
import type { Claim, Driver, Kinds } from "#spec/presence";
import type { Run } from "#spec/run";
import { type Holder, lockHolder, takeLock } from "#system/lock";
import { sweep } from "#system/sweep";
import type { App } from "./context.ts";

type Place = Pick<Run, "id" | "dir">;

/** The workspace belongs to another run at the moment, or the run to another process. */
export class InUseError extends UsageError {
  constructor(
    message: string,
    readonly holder: Holder | undefined,
  ) {
    super(message);
  }
}

/** So many runs are driven that this one has to wait. */
export class FullError extends UsageError {}

export interface Hold {
  /** Aborted when somebody else may have the run by now; absent where only this machine knows of it. */
  readonly lost?: AbortSignal;
  release(): Promise<void>;
}

function inUse(what: string, holder: Holder | undefined): InUseError {
  const who = holder
    ? `run ${holder.run} (process ${holder.pid} on ${holder.host}) since ${holder.since}`
    : "another run";
  const run = holder?.run ?? "last";
  return new InUseError(
    `${what} is in use by ${who}; watch it with \`converge watch ${run}\`, or end it with \`converge stop ${run}\``,
    holder,
  );
}

/** A run may have come from another machine, or its folder may have gone. */
function refuseWithout({ id, dir }: Place): void {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UsageError(
    `the workspace ${dir} of run ${id} is not there; put the folder back, or, if the run was imported, say where it lies here: converge import FILE --workspace DIR`,
  );
}

/** The run, as all machines see it; undefined where there is only this one. With `kinds` it counts against the limits. */
export async function claimRun(app: App, id: string, kinds?: Kinds): Promise<Claim | undefined> {
  const { presence } = app.store;
  if (!presence) return undefined;
  const claimed = await presence.claim(id, { home: app.home.dir, ...(kinds && { kinds }) });
  if (claimed.held) return claimed;
  if ("driver" in claimed) throw inUse(`run ${id}`, claimed.driver);
  throw new FullError(
    `as many runs are driven as may be (${claimed.full}: ${claimed.limit}); it waits for one of them`,
  );
}

async function lockFolder(app: App, { id, dir }: Place, warn: (text: string) => void): Promise<() => void> {
  refuseWithout({ id, dir });
  const lock = takeLock(app.home.locks, app.home.lockName(dir), id);
  if (!lock.held) throw inUse(`the workspace ${dir}`, lock.holder);
  // Whoever died holding it may have left an agent behind, which must not work beside the next one.
  const orphans = lock.died ? await sweep(lock.died.run) : [];
  if (orphans.length > 0) warn(`ended processes of an earlier attempt: ${orphans.join(", ")}`);
  return lock.release;
}

/** What does not come to a hold gives the run back. */
export async function orRelease(claim: Claim | undefined, work: () => Promise<Hold>): Promise<Hold> {
  try {
    return await work();
  } catch (error) {
    await claim?.release();
    throw error;
  }
}

/** With the run, which is ours already. */
export async function holdClaimed(
  app: App,
  place: Place,
  claim: Claim | undefined,
  warn: (text: string) => void = () => {},
): Promise<Hold> {
  const free = await lockFolder(app, place, warn);
  const release = async () => {
    free();
    await claim?.release();
  };
  return { release, ...(claim && { lost: claim.lost }) };
}

export async function holdWorkspace(
  app: App,
  place: Place,
  warn: (text: string) => void = () => {},
): Promise<Hold> {
  refuseWithout(place);
  const claim = await claimRun(app, place.id);
  return orRelease(claim, () => holdClaimed(app, place, claim, warn));
}

/** The process that has the workspace here now, whichever run it drives. */
export function holderOf(app: App, { dir }: Pick<Place, "dir">): Holder | undefined {
  const holder = lockHolder(app.home.locks, app.home.lockName(dir));
  return holder === "unknown" ? undefined : holder;
}

/** The process that drives the run: on this machine, or wherever `others` say. */
function ofThese(app: App, run: Place, others: ReadonlyMap<string, Driver>): Holder | undefined {
  const elsewhere = others.get(run.id);
  if (elsewhere) return elsewhere;
  const holder = holderOf(app, run);
  return holder?.run === run.id ? holder : undefined;
}

/** Asked once, for any number of runs. */
export async function driversNow(app: App, run?: string): Promise<(run: Place) => Holder | undefined> {
  const others = (await app.store.presence?.drivers(run)) ?? new Map<string, Driver>();
  return (place) => ofThese(app, place, others);
}

export async function driverOf(app: App, run: Place): Promise<Holder | undefined> {
  return (await driversNow(app, run.id))(run);
}

/** Whether the process is one of this machine. */
export const isLocal = ({ host }: Holder): boolean => host === os.hostname();
