// converge watch: looks at a run that another process drives, until it is over or nobody waits for an answer any more.
import { setTimeout as sleep } from "node:timers/promises";
import { findRun } from "#app/find-run";
import { openApp } from "#app/open";
import { driverOf, fold } from "#app/view";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { exitCodeOf } from "../exit-code.ts";
import { presenterFor } from "../presenter.ts";

const POLL_MS = 200;
/** Looks in a row at which nobody drove the run, before we say so. */
const PATIENCE = 10;

/** Nothing more will come, or not before somebody says something. */
function isOver({ state, seq }: Run, driven: boolean, known: number): boolean {
  if (seq === known) return false;
  return state === "ended" || state === "paused" || (state === "waiting" && !driven);
}

/** While the agent is away in its session, or the run is in the queue, nobody has to drive it. */
function isWaitedFor({ state, seq, submission }: Run, known: number): boolean {
  return seq === known || state === "away" || (state === "running" && submission !== undefined);
}

/** `known` is the last event of a run that is to go on after it. */
export async function watch(given: string, flags: { readonly json?: boolean }, known = 0): Promise<number> {
  const app = openApp();
  const id = await findRun(app, given);
  let run: Run | undefined;
  let driven = false;
  let unattended = 0;
  const presenter = presenterFor(app, flags.json ?? false, () => driven);
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
      const isAwaited = isWaitedFor(run, known);
      unattended = driven || isAwaited ? 0 : unattended + 1;
      if (unattended > PATIENCE) {
        presenter.note(`no process drives run ${id}; continue it with: converge resume ${id}`);
        break;
      }
      await sleep(POLL_MS);
    }
  } finally {
    presenter.close();
  }
  return run ? exitCodeOf(run) : 5;
}
