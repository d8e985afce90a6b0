// converge watch: follows a run that another process drives, by polling, until it ends, pauses or loses its driver.
import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { type Context, openContext } from "#state/context";
import { findRun } from "#state/find-run";
import { freshCopies } from "#views/fetch-logs";
import { driverOf, fold } from "#views/run-view";
import { exitCodeOf } from "../support/exit-code.ts";
import { type Presenter, presenterFor } from "../support/presenter.ts";

const POLL_MS = 200;
/** Polls in a row without a driver before we give up. */
const PATIENCE = 10;

/** Whether no more events will come, or none before a person acts. */
function isOver({ state, seq }: Run, driven: boolean, known: number): boolean {
  if (seq === known) return false;
  return state === "ended" || state === "paused" || (state === "waiting" && !driven);
}

/** Describes a queued run: its start time, or that no worker can run it. */
async function inQueue({ store }: Context, { id, submission }: Run): Promise<string> {
  const { labels = [], startAt } = submission ?? {};
  const all = (await store.presence?.workers()) ?? [];
  const isAble = all.some((one) => one.isHere && labels.every((label) => one.labels.includes(label)));
  if (isAble)
    return `run ${id} is in the queue${startAt && Date.parse(startAt) > Date.now() ? `, not before ${startAt}` : ""}`;
  const [having, flag] =
    labels.length > 0 ? [` that has ${labels.join(", ")}`, ` --labels ${labels.join(",")}`] : ["", ""];
  return `run ${id} is in the queue, and there is no worker${having}; start one with: converge worker${flag}`;
}

/** Reports why a run has no driver, and decides whether to keep polling. */
function attendance(app: Context, presenter: Presenter, known: number) {
  let unattended = 0;
  let wasQueued = false;
  return async (run: Run, driven: boolean): Promise<"go on" | "give up"> => {
    const isQueued =
      !driven && run.submission !== undefined && (run.state === "running" || run.seq === known);
    if (isQueued && !wasQueued) presenter.note(await inQueue(app, run));
    wasQueued = isQueued;
    // A run needs no driver while its agent works in a session.
    unattended = driven || isQueued || run.state === "away" ? 0 : unattended + 1;
    if (unattended <= PATIENCE) return "go on";
    presenter.note(`no process drives run ${run.id}; continue it with: converge resume ${run.id}`);
    return "give up";
  };
}

/** `known` is the last event before a resume: the run is not over until a newer one arrives. */
export async function watch(given: string, flags: { readonly json?: boolean }, known = 0): Promise<number> {
  const app = openContext();
  const id = await findRun(app, given);
  let run: Run | undefined;
  let driven = false;
  const freshen = flags.json ? () => {} : freshCopies(app);
  const presenter = presenterFor(app, flags.json ?? false, () => driven);
  const attend = attendance(app, presenter, known);
  try {
    for (;;) {
      const news: [RunEvent, Run][] = [];
      for (const event of await app.store.read(id, run?.seq ?? 0)) {
        run = fold(run, event);
        news.push([event, run]);
      }
      driven = run !== undefined && (await driverOf(app, run)) !== undefined;
      for (const [event, then] of news) presenter.event(event, then);
      if (run === undefined || isOver(run, driven, known)) break;
      if ((await attend(run, driven)) === "give up") break;
      freshen(run);
      await sleep(POLL_MS);
    }
  } finally {
    presenter.close();
  }
  return run ? exitCodeOf(run) : 5;
}
