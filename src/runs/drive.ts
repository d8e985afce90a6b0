// Drives a run in this process: one at a time per workspace, each event durable before the next step, nobody left behind.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { toldFile } from "#agents/shared/agent-files";
import type { Parts } from "#catalog/parts";
import { aroundGates } from "#gates/decorate-gates";
import { fold } from "#loop/fold";
import { loop } from "#loop/run";
import { ending, stamp } from "#loop/stamp";
import { closeAll, observersOf } from "#observers/observers";
import type { Isolation } from "#spec/agent";
import { ConflictError, TamperedError, UnreachableError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { AGENT_PART } from "#spec/log-parts";
import type { Observer } from "#spec/observer";
import type { Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import type { Limits } from "#spec/task";
import type { Hold } from "#state/acquire-run";
import { refuseConverged } from "#state/can-resume";
import type { App } from "#state/context";
import { loadRun } from "#state/load-run";
import { systemClock } from "#system/clock";
import { describeFullestDisk, isFullDisk } from "#system/disk";
import { privateDir, readTail, writePrivate } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { openWorkspace } from "./open-workspace.ts";
import { isolationFor } from "./resolve-isolation.ts";
import { warnOfChangedTaskFiles } from "./task-files.ts";
import { knowing } from "./with-observer-env.ts";

export interface DriveOptions {
  /** Makes the run's parts; called once the workspace is ours. */
  readonly parts: (run: Run, isolation: Isolation) => Promise<Parts>;
  /** The run and its workspace, which nobody else has. Given back in the end. */
  readonly hold: Hold;
  /** Aborting leaves the run as it is, to be resumed. */
  readonly signal?: AbortSignal;
  readonly limits?: Partial<Limits>;
  /** Goes on although a gate cannot judge the baseline. */
  readonly allowErroredBaseline?: boolean;
  /** Somebody tries again, here or elsewhere: what this machine lacks is thrown, not recorded. */
  readonly isTriedAgain?: boolean;
  /** Stays while the run is parked, and goes on when somebody has answered. */
  readonly wait?: boolean;
  readonly onActivity?: (text: string) => void;
  /** Something people should know that is not part of the run. */
  readonly warn: (text: string) => void;
}

interface OpenPorts extends Ports {
  close(): Promise<void>;
}

/** How often somebody's word is looked for; less often where every run of a team asks one server. */
const LOOK_MS = 200;
const SHARED_LOOK_MS = 1_000;
const lookMs = ({ store }: App): number => (store.presence ? SHARED_LOOK_MS : LOOK_MS);
const VARIABLE_BYTES = 262_144;

/** Somebody asked for a stop, or tampers with the record: what else is wrong with the store shows at the next event. */
async function hasToStop(app: App, run: Run): Promise<boolean> {
  try {
    const commands = await app.store.inbox(run.id, run.inbox);
    return commands.some(({ command }) => command.type === "stop");
  } catch (error) {
    return error instanceof TamperedError;
  }
}

/** Aborts then, so that the agent does not have to be waited for. */
function abortOnStop(app: App, run: Run, controller: AbortController): () => void {
  let isLooking = false;
  const timer = setInterval(async () => {
    // A store far away may take longer than this.
    if (isLooking) return;
    isLooking = true;
    if (await hasToStop(app, run)) controller.abort();
    isLooking = false;
  }, lookMs(app));
  timer.unref();
  return () => clearInterval(timer);
}

/** A file of the workspace is read where the agent works on it, which may be a worktree. */
function whereItIsWorkedOn(run: Run, file: string): string {
  const inside = path.relative(run.task.workspace.dir, file);
  return inside.startsWith("..") ? file : path.join(run.dir, inside);
}

/** The agent may have changed or removed these files: they are read with care, and a missing one says so. */
async function readVariables(run: Run): Promise<Record<string, string>> {
  const read = ([name, given]: [string, string]) => {
    const file = whereItIsWorkedOn(run, given);
    const shown = `(${path.relative(run.dir, file)} is not there)`;
    return [name, fs.existsSync(file) ? readTail(file, VARIABLE_BYTES) : shown] as const;
  };
  return { ...run.task.vars, ...Object.fromEntries(Object.entries(run.task.files).map(read)) };
}

/** Looks for a word to the run until there is one; the time spent here is nobody's work. */
async function parked(app: App, run: Run, signal: AbortSignal): Promise<void> {
  const until = run.waitingFor?.until;
  while (!signal.aborted && (until === undefined || systemClock.now() < until)) {
    if ((await app.store.inbox(run.id, run.inbox)).length > 0) return;
    await systemClock.sleep(lookMs(app), signal);
  }
}

/** How long the agent has been away: nobody drove the run meanwhile, and the run was at work all the same. */
export function awayMs(run: Run): number {
  return run.state === "away" ? Math.max(0, Date.now() - Date.parse(run.updatedAt)) : 0;
}

async function portsFor(
  app: App,
  run: Run,
  parts: Parts,
  isolation: Isolation,
  options: DriveOptions,
): Promise<OpenPorts> {
  const began = systemClock.monotonic();
  let idle = 0;
  const wait = async (waiting: Run, signal: AbortSignal) => {
    const from = systemClock.monotonic();
    await parked(app, waiting, signal);
    idle += systemClock.monotonic() - from;
  };
  const workspace = await openWorkspace(app, run, options.warn);
  const around = aroundGates(parts.gates, { folders: app.home, run, workspace });
  return {
    ...parts,
    isolation,
    workspace,
    gates: around.gates,
    close: async () => {
      await around.close();
      await workspace.close();
    },
    ...(options.wait && { wait }),
    host: os.hostname(),
    ...(options.limits && { limits: options.limits }),
    ...(options.allowErroredBaseline && { allowErroredBaseline: true as const }),
    inbox: (afterId) => app.store.inbox(run.id, afterId),
    now: systemClock.now,
    elapsed: () => run.elapsedMs + awayMs(run) + systemClock.monotonic() - began - idle,
    sleep: systemClock.sleep,
    filesFor: (iteration, part) => privateDir(app.home.partDir(run.id, iteration, part)),
    writeForAgent: (iteration, text) => {
      const file = toldFile(app.home.partDir(run.id, iteration, AGENT_PART));
      privateDir(path.dirname(file));
      writePrivate(file, text);
      return file;
    },
    variables: () => readVariables(run),
    redact: secrets.redact,
    onActivity: (text) => options.onActivity?.(secrets.mask(text)),
  };
}

/** What broke that is nobody's verdict: the run ends as `error`, with everything done so far kept. */
function failure(run: Run, error: unknown): RunEvent {
  const { elapsedMs } = run;
  const reason = secrets.mask((error as Error).message);
  return stamp(run, ending(run, "error", reason), { time: systemClock.now(), elapsedMs });
}

/** Nothing is wrong with the run: it goes on at the same step once there is room. */
function fullDisk({ home }: App, run: Run, error: unknown): RunEvent {
  const where = describeFullestDisk([home.dir, run.dir, os.tmpdir()]);
  const reason = secrets.mask(`${where}; free some space (${(error as Error).message})`);
  return stamp(run, { type: "run.paused", reason }, { time: systemClock.now(), elapsedMs: run.elapsedMs });
}

/** What is handed over and called converged rests on everything before it. */
function restsOnAll(event: RunEvent): boolean {
  if (event.type === "decision.made") return !event.decision.continue;
  return event.type === "run.ended" && event.outcome === "converged";
}

async function* guarded(
  app: App,
  start: Run,
  options: DriveOptions,
  observers: readonly Observer[],
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  let run = start;
  // What cannot be had here is a refusal, not an event: the run stays as it stands.
  const isolation = isolationFor(run.task.isolation, app.home);
  const parts = knowing(await options.parts(run, isolation), observers);
  const record = async (event: RunEvent) => {
    // A store refuses to give out what was changed behind its back.
    if (restsOnAll(event)) await app.store.read(run.id);
    await app.store.append(run.id, run.seq, [event]);
    run = fold(run, event);
    for (const observer of observers) await observer.saw(event, run);
    return event;
  };
  let ports: OpenPorts | undefined;
  try {
    ports = await portsFor(app, run, parts, isolation, options);
    for await (const event of loop(run, ports, signal)) yield await record(event);
  } catch (error) {
    // Another writer has the run, or has changed it: whatever we would add is not part of it.
    if (error instanceof ConflictError || error instanceof TamperedError) throw error;
    // The run is left as it is, to be resumed.
    if (error instanceof UnreachableError) throw error;
    const isFull = isFullDisk(error);
    if (isFull && options.isTriedAgain) throw error;
    yield await record(isFull ? fullDisk(app, run, error) : failure(run, error));
  } finally {
    await ports?.close();
    await parts.close();
  }
}

/** Yields the events of the run as they become durable. The run may be new, paused, parked, cut off or ended short of its goal. */
export async function* drive(app: App, id: string, given: DriveOptions): AsyncGenerator<RunEvent, void> {
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
    // A new run was told so when it was made.
    if (run.seq > 1) unmasked.forEach(options.warn);
    const stopPolling = abortOnStop(app, run, controller);
    observers = observersOf(app, run, options.warn);
    try {
      yield* guarded(app, run, options, observers, signal);
    } finally {
      stopPolling();
    }
  } finally {
    await hold.release();
    // The workspace is free meanwhile.
    await closeAll(observers);
  }
}
