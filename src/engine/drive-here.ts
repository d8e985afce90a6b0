// What a worker does with a run: takes it, makes its workspace here, drives it as far as it goes, and says what comes next.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtIns } from "#app/built-ins";
import { drive, loadRun } from "#app/drive";
import { placeWorkspace } from "#app/elsewhere/place";
import { endNow } from "#app/end-now";
import { claimRun, FullError, holdClaimed, InUseError } from "#app/hold";
import { kindsOf } from "#app/kinds";
import type { App } from "#app/open";
import { makeParts } from "#app/parts";
import { waitsForPeople } from "#app/resume";
import { foldAll } from "#app/view";
import { ConflictError, UnreachableError, UsageError } from "#spec/errors";
import type { Claim } from "#spec/presence";
import type { Run } from "#spec/run";
import type { Submission } from "#spec/submission";

/** What becomes of the run's place in the queue. */
export type Next =
  | { readonly type: "done" }
  /** The worker is leaving, or was taken for dead: the run goes back into the queue without its doing. */
  | { readonly type: "left" }
  /** Somebody else has it, or a limit is reached: nothing went wrong. */
  | { readonly type: "later"; readonly submission: Submission; readonly startAt: string }
  /** The machine or its surroundings failed, not the run. */
  | { readonly type: "failed"; readonly submission: Submission; readonly why: string };

export interface Desk {
  readonly app: App;
  /** Where this worker makes workspaces; nobody else writes there. */
  readonly dir: string;
  /** Aborted when the worker is to leave. */
  readonly signal: AbortSignal;
  readonly told: (run: string, text: string) => void;
}

const BUSY_MS = 1_000;
const MOST_FAILURES = 8;
const UNWRITTEN_MS = 30_000;
const POLL_MS = 100;
const soon = (ms: number) => new Date(Date.now() + ms * (1 + Math.random())).toISOString();

async function hasNothingToDo(app: App, run: Run, reopen: number): Promise<boolean> {
  if (run.seq === reopen) return false;
  return (
    run.ended !== undefined || run.state === "paused" || run.state === "away" || waitsForPeople(app, run)
  );
}

/** Its first event is written last, after its place in the queue. */
async function runWhenThere(app: App, id: string): Promise<Run | undefined> {
  for (let waited = 0; waited < UNWRITTEN_MS; waited += POLL_MS) {
    const run = foldAll(await app.store.read(id));
    if (run) return run;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** The submission of a run whose record has not come yet, because its first event is written last. */
const unknown: Submission = { priority: 5, labels: [], repository: "", project: "" };

async function driven({ app, dir, signal, told }: Desk, run: Run, claim: Claim): Promise<Run | undefined> {
  const place = path.join(dir, run.id);
  const { store } = app;
  try {
    await placeWorkspace(app, run, place);
    if (fs.realpathSync(place) !== run.dir) await store.place?.(run.id, fs.realpathSync(place));
  } catch (error) {
    await claim.release();
    throw error;
  }
  const registries = builtIns();
  const hold = await holdClaimed(app, { id: run.id, dir: fs.realpathSync(place) }, claim, (text) =>
    told(run.id, text),
  );
  const events = drive(app, run.id, {
    parts: (loaded, isolation) => makeParts(loaded.task, registries, undefined, isolation),
    hold,
    signal,
    warn: (text) => told(run.id, text),
  });
  for await (const event of events)
    if (event.type === "run.ended" || event.type === "run.parked") told(run.id, event.type);
  return claim.lost.aborted || signal.aborted ? undefined : loadRun(app, run.id);
}

function afterwards(run: Run, submission: Submission): Next {
  const until = run.waitingFor?.until;
  if (run.state === "waiting" && until) return { type: "later", submission, startAt: until };
  return { type: "done" };
}

/** What is not the run's fault: the database, the disk, the network. */
function isInfrastructure(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof UnreachableError) return true;
  return /^(ENOSPC|EDQUOT|EMFILE|ENFILE|EIO|EAGAIN|ENOMEM)$/.test(code ?? "");
}

export interface Wish {
  readonly run: string;
  readonly failures: number;
  readonly reopen: number;
}

export async function driveHere(desk: Desk, { run: id, failures, reopen }: Wish): Promise<Next> {
  const { app } = desk;
  const found = await runWhenThere(app, id);
  if (!found) return { type: "done" };
  const { submission = unknown } = found;
  try {
    if (await hasNothingToDo(app, found, reopen)) return afterwards(found, submission);
    const claim = await claimRun(app, id, kindsOf(found));
    if (!claim) throw new UsageError("a worker needs a store that several machines share");
    // Only now is nobody else writing.
    const run = await driven(desk, await loadRun(app, id), claim);
    return run ? afterwards(run, submission) : { type: "left" };
  } catch (error) {
    if (desk.signal.aborted) return { type: "left" };
    const why = (error as Error).message;
    if (error instanceof InUseError || error instanceof FullError || error instanceof ConflictError)
      return { type: "later", submission, startAt: soon(BUSY_MS) };
    desk.told(id, why);
    if (isInfrastructure(error) && failures < MOST_FAILURES) return { type: "failed", submission, why };
    await endNow(app, found, { outcome: "error", reason: () => why }, (text) => desk.told(id, text));
    return { type: "done" };
  }
}
