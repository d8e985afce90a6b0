// The DBOS workflow of a queue entry: one step drives the run, a second one enqueues the next attempt if there is one.

import { type Backoff, backoffMs } from "#rules/backoff";
import { dbos } from "./dbos.ts";
import { driveHere, type Next, type QueueEntry, type WorkerContext } from "./drive-here.ts";
import { DRIVE } from "./names.ts";
import { entryFor } from "./queue.ts";

/** The runs in progress in this process. */
export class RunningWork {
  readonly #work = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    return work.finally(() => this.#work.delete(work));
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#work);
  }
}

/** Exponential backoff: up to minutes after a failure, up to seconds when the run only waits for its turn. */
const FAILURE_BACKOFF = { firstMs: 2_000, maxMs: 300_000, jitter: 0.5 };
const BUSY_BACKOFF = { firstMs: 1_000, maxMs: 10_000, factor: 1.5, jitter: 0.5 };

const timeAfter = (retries: number, backoff: Backoff): string =>
  new Date(Date.now() + backoffMs(retries, backoff)).toISOString();

/** The next entry and its start time; undefined when the run is done or belongs to another worker. */
function nextEntry(entry: QueueEntry, next: Next): (QueueEntry & { readonly startAt: string }) | undefined {
  switch (next.type) {
    case "failed":
      return {
        ...entry,
        failures: entry.failures + 1,
        startAt: timeAfter(entry.failures, FAILURE_BACKOFF),
      };
    case "busy":
      return { ...entry, waits: entry.waits + 1, startAt: timeAfter(entry.waits, BUSY_BACKOFF) };
    case "later":
      return { ...entry, waits: 0, startAt: next.startAt };
    default:
      return undefined;
  }
}

/** Registers the workflow once per process; `session` returns the current session. */
export function registerDrive(
  session: () => { readonly context: WorkerContext; readonly runningWork: RunningWork },
): void {
  const { DBOS } = dbos();
  const drive = async (entry: QueueEntry): Promise<void> => {
    const { context, runningWork } = session();
    const next = await DBOS.runStep(
      async () => {
        const result = await runningWork.add(driveHere(context, entry));
        // A leaving worker never completes the step, so that another one runs it again.
        return result.type === "left" ? new Promise<Next>(() => {}) : result;
      },
      { name: DRIVE },
    );
    // Decided in a step of its own, so that a replay of the workflow gets the same answer.
    const following = await DBOS.runStep(async () => nextEntry(entry, next) ?? null, { name: "next" });
    if (!following || !("submission" in next)) return;
    const { startAt, ...nextArgs } = following;
    const workflowID = `${entry.run}:${await DBOS.randomUUID()}`;
    const { options, args } = entryFor(next.submission, nextArgs, { workflowID, startAt });
    await DBOS.enqueueWorkflowWithOptions(options, ...args);
  };
  // Worker crashes are not the run's fault: no limit on recoveries.
  DBOS.registerWorkflow(drive, { name: DRIVE, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER });
}
