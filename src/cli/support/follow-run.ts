// Follows a run that another process drives, by polling, until it ends, pauses or loses its driver.
import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { freshCopies } from "#views/fetch-logs";
import { driverOf, fold } from "#views/run-view";
import { exitCodeOf, INTERNAL_ERROR } from "./exit-code.ts";
import type { OpenRun } from "./open-run.ts";
import { type Presenter, presenterFor } from "./presenter.ts";

const POLL_MS = 200;
/** Polls in a row without a driver before we give up. */
const MAX_POLLS_WITHOUT_DRIVER = 10;

export interface FollowFlags {
  readonly json?: boolean;
  /** The last event before a resume: the run is not over until a newer one arrives. */
  readonly afterSeq?: number;
}

/** Whether no more events will come, or none before a person acts. */
function isOver({ state, seq }: Run, isDriven: boolean, afterSeq: number): boolean {
  if (seq === afterSeq) return false;
  return state === "ended" || state === "paused" || (state === "waiting" && !isDriven);
}

/** Describes a queued run: its start time, or that no worker can run it. */
async function describeQueued({ store }: Context, { id, submission }: Run): Promise<string> {
  const { labels = [], startAt } = submission ?? {};
  const all = (await store.presence?.workers()) ?? [];
  const canRun = all.some((one) => one.isHere && labels.every((label) => one.labels.includes(label)));
  const isLater = startAt !== undefined && Date.parse(startAt) > Date.now();
  if (canRun) return `run ${id} is in the queue${isLater ? ` and starts after ${startAt}` : ""}`;
  const [having, flag] =
    labels.length > 0 ? [` with label ${labels.join(", ")}`, ` --labels ${labels.join(",")}`] : ["", ""];
  return `run ${id} is in the queue, but there is no worker${having}; start one with: converge worker${flag}`;
}

/** Reports why a run has no driver, and decides whether to keep polling. */
function driverCheck(app: Context, presenter: Presenter, afterSeq: number) {
  let polls = 0;
  let wasQueued = false;
  return async (run: Run, isDriven: boolean): Promise<"continue" | "give up"> => {
    const isQueued =
      !isDriven && run.submission !== undefined && (run.state === "running" || run.seq === afterSeq);
    if (isQueued && !wasQueued) presenter.note(await describeQueued(app, run));
    wasQueued = isQueued;
    // A run needs no driver while its agent works in a session.
    polls = isDriven || isQueued || run.state === "away" ? 0 : polls + 1;
    if (polls <= MAX_POLLS_WITHOUT_DRIVER) return "continue";
    presenter.note(`no process drives run ${run.id}; continue it with: converge resume ${run.id}`);
    return "give up";
  };
}

/** Returns the exit code of the run. */
export async function followRun({ app, id }: OpenRun, flags: FollowFlags): Promise<number> {
  const { json = false, afterSeq = 0 } = flags;
  let run: Run | undefined;
  let isDriven = false;
  const refreshLogs = json ? () => {} : freshCopies(app);
  const presenter = presenterFor(app, json, () => isDriven);
  const checkDriver = driverCheck(app, presenter, afterSeq);
  try {
    for (;;) {
      const news: [RunEvent, Run][] = [];
      for (const event of await app.store.read(id, run?.seq ?? 0)) {
        run = fold(run, event);
        news.push([event, run]);
      }
      isDriven = run !== undefined && (await driverOf(app, run)) !== undefined;
      for (const [event, then] of news) presenter.event(event, then);
      if (run === undefined || isOver(run, isDriven, afterSeq)) break;
      if ((await checkDriver(run, isDriven)) === "give up") break;
      refreshLogs(run);
      await sleep(POLL_MS);
    }
  } finally {
    presenter.close();
  }
  return run ? exitCodeOf(run) : INTERNAL_ERROR;
}
