// One run at a time per workspace: taking it, with nobody of an earlier run left at work in it, or saying who has it.
import fs from "node:fs";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import { type Holder, lockHolder, takeLock } from "#system/lock";
import { sweep } from "#system/sweep";
import type { App } from "./open.ts";

type Place = Pick<Run, "id" | "dir">;

/** The workspace belongs to another run at the moment. */
export class InUseError extends UsageError {
  constructor(
    message: string,
    readonly holder: Holder | undefined,
  ) {
    super(message);
  }
}

function inUse(dir: string, holder: Holder | undefined): InUseError {
  const who = holder
    ? `run ${holder.run} (process ${holder.pid} on ${holder.host}) since ${holder.since}`
    : "another run";
  const run = holder?.run ?? "last";
  return new InUseError(
    `the workspace ${dir} is in use by ${who}; watch it with \`converge watch ${run}\`, or end it with \`converge stop ${run}\``,
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

/** Returns what gives the workspace back. */
export async function holdWorkspace(
  app: App,
  { id, dir }: Place,
  warn: (text: string) => void = () => {},
): Promise<() => void> {
  refuseWithout({ id, dir });
  const lock = takeLock(app.home.locks, app.home.lockName(dir), id);
  if (!lock.held) throw inUse(dir, lock.holder);
  // Whoever died holding it may have left an agent behind, which must not work beside the next one.
  const orphans = lock.died ? await sweep(lock.died.run) : [];
  if (orphans.length > 0) warn(`ended processes of an earlier attempt: ${orphans.join(", ")}`);
  return lock.release;
}

/** The process that has the workspace now, whichever run it drives. */
export function holderOf(app: App, { dir }: Pick<Place, "dir">): Holder | undefined {
  const holder = lockHolder(app.home.locks, app.home.lockName(dir));
  return holder === "unknown" ? undefined : holder;
}
