// What a worker does with a run: takes it, makes its workspace here, drives it as far as it goes, and says what comes next.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtIns } from "#catalog/built-ins";
import { makeParts } from "#catalog/parts";
import { drive } from "#runs/drive";
import { endNow } from "#runs/end-run";
import { holdIn } from "#runs/placement/acquire";
import { leaveWorkspace } from "#runs/placement/delete-workspace";
import { ConflictError, UnreachableError, UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Claim } from "#spec/presence";
import type { Run } from "#spec/run";
import type { Submission } from "#spec/submission";
import { claimRun, FullError, InUseError } from "#state/acquire-run";
import { isWaitingForPerson } from "#state/can-resume";
import type { App } from "#state/context";
import { kindsOf } from "#state/limit-keys";
import { loadRun } from "#state/load-run";
import { isFullDisk } from "#system/disk";
import { foldAll } from "#views/run-view";

/** What becomes of the run's place in the queue. */
export type Next =
  | { readonly type: "done" }
  /** The worker is leaving, or was taken for dead: the run goes back into the queue without its doing. */
  | { readonly type: "left" }
  /** Somebody else has it, or a limit is reached: nothing went wrong. */
  | { readonly type: "busy"; readonly submission: Submission }
  /** It waits until then by itself. */
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

const MOST_FAILURES = 8;
/** Longer than whoever submits it tries to write it. */
const UNWRITTEN_MS = 60_000;
const POLL_MS = 100;

async function hasNothingToDo(app: App, run: Run, reopen: number): Promise<boolean> {
  if (run.seq === reopen) return false;
  return (
    run.ended !== undefined || run.state === "paused" || run.state === "away" || isWaitingForPerson(app, run)
  );
}

/** Without the database nothing is known of the run, not even where it would have to wait: it is asked again. */
async function eventsOf(app: App, id: string, signal: AbortSignal): Promise<readonly RunEvent[]> {
  for (;;) {
    try {
      return await app.store.read(id);
    } catch (error) {
      if (signal.aborted || !(error instanceof UnreachableError)) throw error;
    }
  }
}

/** Its first event is written last, after its place in the queue. */
async function runWhenThere(app: App, id: string, signal: AbortSignal): Promise<Run | undefined> {
  const began = performance.now();
  while (!signal.aborted && performance.now() - began < UNWRITTEN_MS) {
    const run = foldAll(await eventsOf(app, id, signal));
    if (run) return run;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** The submission of a run whose record has not come yet, because its first event is written last. */
const unknown: Submission = { priority: 5, labels: [], repository: "", project: "" };

const placeOf = ({ dir }: Desk, { id }: Run): string => path.join(fs.realpathSync(dir), id);

async function driven(desk: Desk, run: Run, claim: Claim): Promise<void> {
  const { app, signal, told } = desk;
  const place = placeOf(desk, run);
  // What is driven here again and was not ended meanwhile has its newest files here, kept or not.
  const isHere = place === run.dir && !run.ended && fs.existsSync(place);
  const warn = (text: string) => told(run.id, text);
  const hold = await holdIn(app, run, { dir: place, isHere, claim }, warn);
  const registries = builtIns();
  const events = drive(app, run.id, {
    parts: (loaded, isolation) => makeParts(loaded.task, registries, undefined, isolation),
    hold,
    signal,
    isTriedAgain: true,
    warn,
  });
  told(run.id, run.seq > 1 ? "goes on here" : "begins");
  for await (const event of events) {
    if (event.type === "run.ended") told(run.id, `${event.outcome}, ${event.reason}`);
    if (event.type === "run.parked") told(run.id, `waits, ${event.reason}`);
  }
}

function afterwards(run: Run, submission: Submission): Next {
  const until = run.waitingFor?.until;
  if (run.state === "waiting" && until) return { type: "later", submission, startAt: until };
  return { type: "done" };
}

const busy = (submission: Submission): Next => ({ type: "busy", submission });

/** What is not the run's fault: the database, the disk, the network. */
function isInfrastructure(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof UnreachableError || isFullDisk(error)) return true;
  return /^(EMFILE|ENFILE|EIO|EAGAIN|ENOMEM)$/.test(code ?? "");
}

/** What an entry in the queue asks for. */
export interface Wish {
  readonly run: string;
  /** How often it was tried in vain. */
  readonly failures: number;
  /** How often in a row it had to wait for its turn. */
  readonly waits: number;
  /** The last event of a run that has ended or is paused: it goes on if that is still so. */
  readonly reopen: number;
}

/** Drives it as far as it goes; whoever took it meanwhile may leave it half done. */
async function taken(desk: Desk, found: Run, submission: Submission, reopen: number): Promise<Next> {
  const { app } = desk;
  const claim = await claimRun(app, found.id, kindsOf(found));
  if (!claim) throw new UsageError("a worker needs a store that several machines share");
  // Only now is nobody else writing.
  const fresh = await loadRun(app, found.id);
  if (await hasNothingToDo(app, fresh, reopen)) {
    await claim.release();
    return afterwards(fresh, submission);
  }
  await driven(desk, fresh, claim);
  if (desk.signal.aborted) return { type: "left" };
  if (claim.lost.aborted) return busy(submission);
  const run = await loadRun(app, found.id);
  if (run.ended) await leaveWorkspace(app, run, placeOf(desk, run));
  return afterwards(run, submission);
}

const isTaken = (error: unknown) =>
  error instanceof InUseError || error instanceof FullError || error instanceof ConflictError;

/** The run is ended for what it cannot go on without; what keeps it from being ended passes, or nobody can write to it at all. */
async function ended(desk: Desk, run: Run, why: string, submission: Submission): Promise<Next> {
  const tell = (text: string) => desk.told(run.id, text);
  try {
    await endNow(desk.app, run, { outcome: "error", reason: () => why }, tell);
  } catch (error) {
    tell((error as Error).message);
    if (isTaken(error) || isInfrastructure(error)) return busy(submission);
  }
  return { type: "done" };
}

export async function driveHere(desk: Desk, { run: id, failures, reopen }: Wish): Promise<Next> {
  let found: Run | undefined;
  try {
    found = await runWhenThere(desk.app, id, desk.signal);
    if (desk.signal.aborted) return { type: "left" };
    if (!found) return { type: "done" };
    const { submission = unknown } = found;
    if (await hasNothingToDo(desk.app, found, reopen)) return afterwards(found, submission);
    return await taken(desk, found, submission, reopen);
  } catch (error) {
    if (desk.signal.aborted) return { type: "left" };
    const why = (error as Error).message;
    const submission = found?.submission ?? unknown;
    if (isTaken(error)) return busy(submission);
    desk.told(id, why);
    if (isInfrastructure(error) && failures < MOST_FAILURES) return { type: "failed", submission, why };
    return found ? ended(desk, found, why, submission) : { type: "done" };
  }
}
