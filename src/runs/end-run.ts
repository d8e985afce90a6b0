// Ends a run that has no driver.
import fs from "node:fs";
import { ending } from "#loop/stamp";
import { closeAll, externalObservers } from "#observers/observers";
import type { Outcome } from "#spec/event";
import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import { acquireWorkspace, claimRun, type Hold, holderOf } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { openRecorder } from "./recording/record.ts";

type Warn = (text: string) => void;

/** Locks only the run when its workspace is on another machine or locked by another run: it can still be ended. */
async function holdToEnd(app: Context, run: Run, warn: Warn): Promise<Hold> {
  const isRemote = app.store.presence !== undefined && !fs.existsSync(run.dir);
  if (!isRemote && !holderOf(app, run)) return acquireWorkspace(app, run, warn);
  const claim = await claimRun(app, run.id);
  return { release: async () => claim?.release() };
}

interface EndOptions {
  readonly outcome: Outcome;
  /** Called with the run after its pending commands. */
  readonly reason: (run: Run) => string;
  readonly warn: Warn;
}

/** Records pending commands before the end, because the reason may depend on them. */
export async function endRun(app: Context, known: Run, options: EndOptions): Promise<Run> {
  const { outcome, reason, warn } = options;
  const { release } = await holdToEnd(app, known, warn);
  let observers: readonly Observer[] = [];
  try {
    const run = await loadRun(app, known.id);
    // Another process has ended it first: its outcome stays.
    if (run.ended && run.seq !== known.seq) return run;
    observers = externalObservers(app, run, warn);
    const recorder = openRecorder(app, run, observers);
    for (const queued of await app.store.inbox(run.id, run.inbox))
      await recorder.record({ type: "command.received", queued });
    await recorder.record(ending(recorder.run, outcome, reason(recorder.run)));
    return recorder.run;
  } finally {
    await release();
    await closeAll(observers);
  }
}
