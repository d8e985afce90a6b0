// Reads a task and starts its run, here or in the background. Shared by `converge run` and `converge ralph`.
import fs from "node:fs";
import path from "node:path";
import type { TaskSource } from "#config/layers";
import { UNATTENDED } from "#config/limits";
import type { ReadTask } from "#config/read-task";
import type { TaskInput } from "#config/task-options";
import { launchRun } from "#runs/detach-run";
import { prepareTask } from "#runs/prepare-task";
import { startRun } from "#runs/start";
import { UsageError } from "#spec/errors";
import { type Context, openContext } from "#state/context";
import { dryRunLines } from "../output/task-lines.ts";
import { driveAndShow, offerToContinue } from "./drive-and-show.ts";
import { print, printJson, printNote, printTaskNotes, warn } from "./messages.ts";

export interface StartFlags {
  readonly profile?: string;
  readonly json?: boolean;
  readonly wait?: boolean;
  readonly detach?: boolean;
  readonly ui?: boolean;
  readonly dryRun?: boolean;
}

export const DEFAULT_FILE = "converge.yaml";

/** The task file that was named, or converge.yaml if it exists. */
export function fileFrom(typed: string | undefined): { file?: string } {
  if (typed) return { file: typed };
  return fs.existsSync(path.resolve(DEFAULT_FILE)) ? { file: DEFAULT_FILE } : {};
}

/** Default limits: only an unattended run, without a person at the terminal, has a time limit. */
export function defaultLimits({ detach }: Pick<StartFlags, "detach">): TaskInput {
  return !detach && process.stdout.isTTY && process.stdin.isTTY ? {} : UNATTENDED;
}

/** Reads the task, starts its run, and drives it here unless detached. */
export async function start(source: Omit<TaskSource, "cwd">, flags: StartFlags): Promise<number> {
  if (flags.ui && flags.detach)
    throw new UsageError("give --ui or --detach, not both; `converge serve` shows every run");
  const profile = flags.profile ? { profile: flags.profile } : {};
  const limits = { ...defaultLimits(flags).limits, ...source.defaults?.limits };
  const read = await prepareTask(
    { ...profile, cwd: process.cwd(), ...source, defaults: { ...source.defaults, limits } },
    { onRead: printTaskNotes, isDrivenHere: true },
  );
  if (flags.dryRun) return printDryRun(read, flags.json ?? false);
  const app = openContext();
  return flags.detach ? startInBackground(app, read, flags) : startHere(app, read, flags);
}

function printDryRun(read: ReadTask, json: boolean): number {
  const { task, hash, sources } = read;
  if (json) printJson({ hash, sources, task });
  else print(["this task would run; nothing was started:", ...dryRunLines(task)].join("\n"));
  return 0;
}

async function startHere(app: Context, read: ReadTask, flags: StartFlags): Promise<number> {
  const { id, hold } = await startRun(app, read, warn);
  const page = flags.ui ? await servePage(id) : undefined;
  try {
    const shown = { json: flags.json ?? false, wait: flags.wait ?? false };
    const code = await driveAndShow(app, id, { ...shown, hold });
    return (await offerToContinue(app, id, shown)) ?? code;
  } finally {
    await page?.close();
  }
}

/** Serves the page in the process of the run. A failure of the page never ends the run: it returns undefined. */
async function servePage(id: string): Promise<{ close(): Promise<void> } | undefined> {
  try {
    const { serveBeside } = await import("#server/beside");
    const server = await serveBeside(process.argv[1] ?? "converge", (text) => warn(`the page: ${text}`));
    printNote(`the page of run ${id}, until the run ends: ${server.link()}`);
    return server;
  } catch (error) {
    warn(`the page could not start, the run continues without it: ${(error as Error).message}`);
    return undefined;
  }
}

/** The commands to type next for a run that another process drives. */
export const watchHints = (id: string): string =>
  `  converge watch ${id}    follow it\n  converge stop ${id}     stop it`;

async function startInBackground(app: Context, read: ReadTask, flags: StartFlags): Promise<number> {
  const { id, log } = await launchRun(app, read, {
    cli: process.argv[1] ?? "converge",
    wait: flags.wait ?? false,
    warn,
  });
  if (flags.json) printJson({ run: id, log });
  else print(`run ${id} continues in the background\n${watchHints(id)}`);
  return 0;
}
