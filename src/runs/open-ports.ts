// Opens the loop's ports: workspace, decorated gates, inbox, clocks, files, variables.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { toldFile } from "#agents/shared/agent-files";
import type { Parts } from "#catalog/parts";
import { decorateGates } from "#gates/decorate-gates";
import type { Isolation } from "#spec/agent";
import { AGENT_PART, type Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import type { Limits } from "#spec/task";
import type { Context } from "#state/context";
import { systemClock } from "#system/clock";
import { privateDir, readTail, writePrivate } from "#system/files";
import { pathInside } from "#system/inside";
import { secrets } from "#system/secrets/secrets";
import { openWorkspace } from "./open-workspace.ts";

export interface PortOptions {
  readonly limits?: Partial<Limits>;
  /** Continues although a gate cannot judge the baseline. */
  readonly allowErroredBaseline?: boolean;
  /** Keeps polling while the run waits for a person, and continues on an answer. */
  readonly wait?: boolean;
  readonly onActivity?: (text: string) => void;
  /** Receives warnings for people that are not part of the run. */
  readonly warn: (text: string) => void;
}

export interface OpenPorts extends Ports {
  close(): Promise<void>;
}

/** Poll interval of the inbox; longer for a shared store, which every run of a team polls. */
const INBOX_POLL_MS = 200;
const SHARED_INBOX_POLL_MS = 1_000;
const VARIABLE_BYTES = 262_144;

export const inboxPollMs = ({ store }: Context): number =>
  store.presence ? SHARED_INBOX_POLL_MS : INBOX_POLL_MS;

/** Resolves a file of the user's folder in the folder where the agent works, which may be a worktree. */
function resolveInWorkspace(run: Run, file: string): string {
  const inside = pathInside(run.task.workspace.dir, file);
  return inside === undefined ? file : path.join(run.dir, inside);
}

/** Reads the files of template variables. The agent may have changed or removed them; a missing one says so. */
async function readVariables(run: Run): Promise<Record<string, string>> {
  const read = ([name, given]: [string, string]) => {
    const file = resolveInWorkspace(run, given);
    const shown = `(${path.relative(run.dir, file)} is not there)`;
    return [name, fs.existsSync(file) ? readTail(file, VARIABLE_BYTES) : shown] as const;
  };
  return { ...run.task.vars, ...Object.fromEntries(Object.entries(run.task.files).map(read)) };
}

/** Polls the inbox until a command arrives or the run's waiting deadline passes. */
async function waitForCommand(app: Context, run: Run, signal: AbortSignal): Promise<void> {
  const until = run.waitingFor?.until;
  while (!signal.aborted && (until === undefined || systemClock.now() < until)) {
    if ((await app.store.inbox(run.id, run.inbox)).length > 0) return;
    await systemClock.sleep(inboxPollMs(app), signal);
  }
}

/** How long the agent has been away. This time counts although no process drives the run. */
export function awayMs(run: Run): number {
  return run.state === "away" ? Math.max(0, Date.now() - Date.parse(run.updatedAt)) : 0;
}

/** Measures the run's working time. Time spent waiting for a person does not count. */
function stopwatch(app: Context, run: Run) {
  const began = systemClock.monotonic();
  let idle = 0;
  return {
    elapsed: () => run.elapsedMs + awayMs(run) + systemClock.monotonic() - began - idle,
    wait: async (waiting: Run, signal: AbortSignal) => {
      const from = systemClock.monotonic();
      await waitForCommand(app, waiting, signal);
      idle += systemClock.monotonic() - from;
    },
  };
}

/** The parts of a run, ready to use. */
interface ReadyParts {
  readonly parts: Parts;
  readonly isolation: Isolation;
}

export async function openPorts(
  app: Context,
  run: Run,
  { parts, isolation }: ReadyParts,
  options: PortOptions,
): Promise<OpenPorts> {
  const { elapsed, wait } = stopwatch(app, run);
  const workspace = await openWorkspace(app, run, options.warn);
  const around = decorateGates(parts.gates, { folders: app.home, run, workspace });
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
    elapsed,
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
