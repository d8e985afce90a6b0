// Drives a run in this process and yields its events, each durable before the next step. The one way to run a task: the
// command line, the SDK, session loops and workers all fold these events.
import os from "node:os";
import { builtIns, type Registries } from "#catalog/built-ins";
import { makeParts } from "#catalog/parts";
import type { Inline } from "#config/read-parts";
import { loop } from "#loop/run";
import { ending } from "#loop/stamp";
import { closeAll, observersOf } from "#observers/observers";
import { ConflictError, TamperedError, UnreachableError } from "#spec/errors";
import type { EventBody, RunEvent } from "#spec/event";
import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import type { Hold } from "#state/acquire-run";
import { refuseConverged } from "#state/can-resume";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { describeFullestDisk, isFullDisk } from "#system/disk";
import { secrets } from "#system/secrets/secrets";
import { inboxPollMs, type OpenPorts, openPorts, type PortOptions } from "./open-ports.ts";
import { openRecorder, type Recorder } from "./recording/record.ts";
import { resolveIsolation } from "./resolve-isolation.ts";
import { warnOfChangedTaskFiles } from "./task-files.ts";
import { withObserverEnv } from "./with-observer-env.ts";

export interface DriveOptions extends PortOptions {
  /** Creates the parts that the task names; the built-in ones by default. */
  readonly registries?: Registries;
  /** Parts given as live objects. */
  readonly inline?: Inline;
  /** The lock on the run and its workspace. Released at the end. */
  readonly hold: Hold;
  /** Aborting leaves the run as it is, to be resumed. */
  readonly signal?: AbortSignal;
  /** The caller retries, on this machine or another: a full disk is thrown, not recorded. */
  readonly isTriedAgain?: boolean;
}

/** Whether a stop is requested or the record was tampered with. Other store errors surface at the next event. */
async function isStopRequested(app: Context, run: Run): Promise<boolean> {
  try {
    const commands = await app.store.inbox(run.id, run.inbox);
    return commands.some(({ command }) => command.type === "stop");
  } catch (error) {
    return error instanceof TamperedError;
  }
}

/** Polls for a stop and aborts, so that the agent does not run to its end first. */
function abortOnStop(app: Context, run: Run, controller: AbortController): () => void {
  let isPolling = false;
  const timer = setInterval(async () => {
    // A slow store may take longer than one interval.
    if (isPolling) return;
    isPolling = true;
    if (await isStopRequested(app, run)) controller.abort();
    isPolling = false;
  }, inboxPollMs(app));
  timer.unref();
  return () => clearInterval(timer);
}

/** The event for an unexpected error. A full disk pauses the run; anything else ends it as `error`. */
function failureEvent({ home }: Context, run: Run, error: unknown): EventBody {
  const { message } = error as Error;
  if (!isFullDisk(error)) return ending(run, "error", message);
  const where = describeFullestDisk([home.dir, run.dir, os.tmpdir()]);
  return { type: "run.paused", reason: `${where}; free some space (${message})` };
}

/** Whether an event claims success, which is only recorded over a log that is verified from its first event. */
function requiresVerifiedLog(event: RunEvent): boolean {
  if (event.type === "decision.made") return !event.decision.continue;
  return event.type === "run.ended" && event.outcome === "converged";
}

/** Whether the error is recorded as the end or a pause of the run; otherwise it is thrown and the run is unchanged. */
function isRecorded(error: unknown, { isTriedAgain }: DriveOptions): boolean {
  // Another writer has the run or changed it, or the store is unreachable: no event can be appended.
  const isForeign = [ConflictError, TamperedError, UnreachableError].some((kind) => error instanceof kind);
  return !isForeign && !(isTriedAgain && isFullDisk(error));
}

interface Driving {
  readonly options: DriveOptions;
  readonly observers: readonly Observer[];
  readonly signal: AbortSignal;
}

async function* runLoop(app: Context, recorder: Recorder, driving: Driving): AsyncGenerator<RunEvent, void> {
  const { options, observers, signal } = driving;
  const { run } = recorder;
  // A missing sandbox is an error here, without an event: the run can be resumed on a machine that has one.
  const isolation = resolveIsolation(run.task.isolation, app.home);
  const { registries = builtIns(), inline } = options;
  const parts = withObserverEnv(await makeParts(run.task, { registries, inline, isolation }), observers);
  let ports: OpenPorts | undefined;
  try {
    ports = await openPorts(app, run, { ...options, parts, isolation });
    for await (const event of loop(run, ports, signal)) {
      if (requiresVerifiedLog(event)) await app.store.read(run.id);
      yield await recorder.append(event);
    }
  } catch (error) {
    if (!isRecorded(error, options)) throw error;
    yield await recorder.record(failureEvent(app, recorder.run, error));
  } finally {
    await ports?.close();
    await parts.close();
  }
}

/**
 * Yields the events of the run as they become durable. A new run starts with its first event, which is on disk already.
 * The run may be new, paused, parked, interrupted, or ended short of its goal.
 */
export async function* drive(app: Context, id: string, given: DriveOptions): AsyncGenerator<RunEvent, void> {
  const options = { ...given, warn: (text: string) => given.warn(secrets.mask(text)) };
  const { hold } = options;
  const controller = new AbortController();
  const signal = AbortSignal.any(
    [controller.signal, options.signal, hold.lost].filter((one) => one !== undefined),
  );
  let observers: readonly Observer[] = [];
  try {
    const run = await loadRun(app, id);
    refuseConverged(run);
    warnOfChangedTaskFiles(run, options.warn);
    const unmasked = secrets.learn(run.task.secrets);
    // A new run has already given these warnings at its start.
    if (run.seq > 1) unmasked.forEach(options.warn);
    else yield* await app.store.read(id);
    const stopPolling = abortOnStop(app, run, controller);
    observers = observersOf(app, run, options.warn);
    try {
      yield* runLoop(app, openRecorder(app, run, observers), { options, observers, signal });
    } finally {
      stopPolling();
    }
  } finally {
    await hold.release();
    // After the release: another run may take the workspace while notifications are sent.
    await closeAll(observers);
  }
}
