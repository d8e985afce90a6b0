// What an entry in the queue is: one step that drives a run, and, where that was not its end, another entry for later.
import { dbos } from "./dbos.ts";
import { type Desk, driveHere, type Next, type Wish } from "./drive-here.ts";
import { DRIVE } from "./names.ts";
import { entryFor } from "./queue.ts";

/** The runs under way in this process. */
export class Under {
  readonly #work = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    return work.finally(() => this.#work.delete(work));
  }

  async over(): Promise<void> {
    await Promise.allSettled(this.#work);
  }
}

/** Longer between tries after something failed, up to a few minutes; shorter where it only waits for its turn. */
const FAILED = { firstMs: 2_000, factor: 2, mostMs: 300_000 };
const BUSY = { firstMs: 1_000, factor: 1.5, mostMs: 10_000 };

function after(tries: number, { firstMs, factor, mostMs }: typeof BUSY): string {
  const pause = Math.min(mostMs, firstMs * factor ** tries);
  return new Date(Date.now() + pause * (0.75 + Math.random() / 2)).toISOString();
}

/** What is asked for next, and when; undefined when the run is over, or is in others' hands. */
function nextWish(wish: Wish, next: Next): (Wish & { readonly startAt: string }) | undefined {
  switch (next.type) {
    case "failed":
      return { ...wish, failures: wish.failures + 1, startAt: after(wish.failures, FAILED) };
    case "busy":
      return { ...wish, waits: wish.waits + 1, startAt: after(wish.waits, BUSY) };
    case "later":
      return { ...wish, waits: 0, startAt: next.startAt };
    default:
      return undefined;
  }
}

/** Registered once for the process; `session` is the one of the moment. */
export function registerDrive(session: () => { readonly desk: Desk; readonly under: Under }): void {
  const { DBOS } = dbos();
  const drive = async (wish: Wish): Promise<void> => {
    const { desk, under } = session();
    const next = await DBOS.runStep(
      async () => {
        const reached = await under.add(driveHere(desk, wish));
        // Whoever leaves does not say how it went: the run goes on elsewhere.
        return reached.type === "left" ? new Promise<Next>(() => {}) : reached;
      },
      { name: DRIVE },
    );
    // Decided in the step, so that it is the same when the rest is done again.
    const again = await DBOS.runStep(async () => nextWish(wish, next) ?? null, { name: "next" });
    if (!again || !("submission" in next)) return;
    const { startAt, ...wanted } = again;
    const workflowID = `${wish.run}:${await DBOS.randomUUID()}`;
    const { options, args } = entryFor(next.submission, wanted, { workflowID, startAt });
    await DBOS.enqueueWorkflowWithOptions(options, ...args);
  };
  // However often workers die under it, that is no fault of the run.
  DBOS.registerWorkflow(drive, { name: DRIVE, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER });
}
