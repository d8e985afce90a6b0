// Drives a run on a worker: claims it, creates its workspace, drives it as far as it goes, and decides what follows.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drive } from "#runs/drive";
import { endRun } from "#runs/end-run";
import { acquireIn } from "#runs/placement/acquire";
import { deleteWorkspace } from "#runs/placement/delete-workspace";
import { ConflictError, UnreachableError, UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Claim } from "#spec/presence";
import type { Run } from "#spec/run";
import type { Submission } from "#spec/submission";
import { claimRun, FullError, InUseError, limitKeys } from "#state/acquire-run";
import { isWaitingForPerson } from "#state/can-resume";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { isFullDisk } from "#system/disk";
import { foldAll } from "#views/run-view";

/** What happens with the run's queue entry. */
export type Next =
  | { readonly type: "done" }
  /** The worker is leaving or was declared dead; other workers put the run back into the queue. */
  | { readonly type: "left" }
  /** Another process drives the run, or a limit is reached; not a failure. */
  | { readonly type: "busy"; readonly submission: Submission }
  /** The run waits until `startAt`. */
  | { readonly type: "later"; readonly submission: Submission; readonly startAt: string }
  /** The infrastructure failed, not the run. */
  | { readonly type: "failed"; readonly submission: Submission; readonly why: string };

export interface WorkerContext {
  readonly app: Context;
  /** The folder for this worker's workspaces; no other process writes there. */
  readonly dir: string;
  /** Aborted when the worker has to leave. */
  readonly signal: AbortSignal;
  readonly log: (run: string, text: string) => void;
}

const MAX_FAILURES = 8;
/** Longer than a submitter retries to write the first event. */
const FIRST_EVENT_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

async function hasNothingToDo(app: Context, run: Run, reopen: number): Promise<boolean> {
  if (run.seq === reopen) return false;
  return (
    run.ended !== undefined || run.state === "paused" || run.state === "away" || isWaitingForPerson(app, run)
  );
}

/** Reads the events, and retries while the database is unreachable: without it nothing is known about the run. */
async function readEvents(app: Context, id: string, signal: AbortSignal): Promise<readonly RunEvent[]> {
  for (;;) {
    try {
      return await app.store.read(id);
    } catch (error) {
      if (signal.aborted || !(error instanceof UnreachableError)) throw error;
    }
  }
}

/** Waits for the first event, which is written after the queue entry. */
async function waitForRun(app: Context, id: string, signal: AbortSignal): Promise<Run | undefined> {
  const began = performance.now();
  while (!signal.aborted && performance.now() - began < FIRST_EVENT_TIMEOUT_MS) {
    const run = foldAll(await readEvents(app, id, signal));
    if (run) return run;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Placeholder for a run whose first event is not written yet. */
const UNKNOWN: Submission = { priority: 5, labels: [], repository: "", project: "" };

const submissionOf = (run: Run | undefined): Submission => run?.submission ?? UNKNOWN;

const placeOf = ({ dir }: WorkerContext, { id }: Run): string => path.join(fs.realpathSync(dir), id);

async function driveRun(context: WorkerContext, run: Run, claim: Claim): Promise<void> {
  const { app, signal, log } = context;
  const place = placeOf(context, run);
  // A run that this worker drove before and that has not ended has its newest files here, in a snapshot or not.
  const isHere = place === run.dir && !run.ended && fs.existsSync(place);
  const warn = (text: string) => log(run.id, text);
  const hold = await acquireIn(app, run, { dir: place, isHere, claim, warn });
  const events = drive(app, run.id, {
    hold,
    signal,
    isTriedAgain: true,
    warn,
  });
  log(run.id, run.seq > 1 ? "resumes here" : "starts");
  for await (const event of events) {
    if (event.type === "run.ended") log(run.id, `${event.outcome}, ${event.reason}`);
    if (event.type === "run.parked") log(run.id, `waits, ${event.reason}`);
  }
}

function nextFor(run: Run): Next {
  const submission = submissionOf(run);
  const until = run.waitingFor?.until;
  if (run.state === "waiting" && until) return { type: "later", submission, startAt: until };
  return { type: "done" };
}

const busy = (submission: Submission): Next => ({ type: "busy", submission });

/** Whether the failure is not the run's fault: database, disk, memory. */
function isInfrastructure(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof UnreachableError || isFullDisk(error)) return true;
  return /^(EMFILE|ENFILE|EIO|EAGAIN|ENOMEM)$/.test(code ?? "");
}

/** Arguments of a queue entry. */
export interface QueueEntry {
  readonly run: string;
  /** Number of failed attempts. */
  readonly failures: number;
  /** Number of waits in a row. */
  readonly waits: number;
  /** Sequence number of the event at which the run ended or paused: it is resumed only if that is still its last one. */
  readonly reopen: number;
}

/** Claims and drives the run as far as it goes; stops early when another worker takes over. */
async function claimAndDrive(context: WorkerContext, loadedRun: Run, reopen: number): Promise<Next> {
  const { app } = context;
  const claim = await claimRun(app, loadedRun.id, limitKeys(loadedRun));
  if (!claim) throw new UsageError("a worker needs a shared database: set CONVERGE_DATABASE_URL");
  // Load again: only with the claim is nobody else writing.
  const fresh = await loadRun(app, loadedRun.id);
  if (await hasNothingToDo(app, fresh, reopen)) {
    await claim.release();
    return nextFor(fresh);
  }
  await driveRun(context, fresh, claim);
  if (context.signal.aborted) return { type: "left" };
  if (claim.lost.aborted) return busy(submissionOf(fresh));
  const run = await loadRun(app, loadedRun.id);
  if (run.ended) await deleteWorkspace(app, run, placeOf(context, run));
  return nextFor(run);
}

const isHeldByAnother = (error: unknown) =>
  error instanceof InUseError || error instanceof FullError || error instanceof ConflictError;

/** Ends the run with an error. When that fails for a temporary reason, the run stays in the queue. */
async function endWithError(context: WorkerContext, run: Run, why: string): Promise<Next> {
  const warn = (text: string) => context.log(run.id, text);
  try {
    await endRun(context.app, run, { outcome: "error", reason: () => why, warn });
  } catch (error) {
    warn((error as Error).message);
    if (isHeldByAnother(error) || isInfrastructure(error)) return busy(submissionOf(run));
  }
  return { type: "done" };
}

export async function driveHere(
  context: WorkerContext,
  { run: id, failures, reopen }: QueueEntry,
): Promise<Next> {
  let loadedRun: Run | undefined;
  try {
    loadedRun = await waitForRun(context.app, id, context.signal);
    if (context.signal.aborted) return { type: "left" };
    if (!loadedRun) return { type: "done" };
    if (await hasNothingToDo(context.app, loadedRun, reopen)) return nextFor(loadedRun);
    return await claimAndDrive(context, loadedRun, reopen);
  } catch (error) {
    if (context.signal.aborted) return { type: "left" };
    const why = (error as Error).message;
    const submission = submissionOf(loadedRun);
    if (isHeldByAnother(error)) return busy(submission);
    context.log(id, why);
    if (isInfrastructure(error) && failures < MAX_FAILURES) return { type: "failed", submission, why };
    return loadedRun ? endWithError(context, loadedRun, why) : { type: "done" };
  }
}
