// converge run
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
import { driveAndShow } from "../support/drive-and-show.ts";
import { number } from "../support/number.ts";
import { offerToGoOn } from "../support/offer-to-continue.ts";
import { showNotes, warn } from "../support/warn.ts";

export interface RunFlags {
  readonly prompt?: string;
  readonly agent?: string;
  readonly agentCmd?: string;
  readonly gate?: readonly string[];
  readonly strategy?: string;
  readonly maxIterations?: string;
  readonly maxTime?: string;
  readonly maxCost?: string;
  readonly iterationTimeout?: string;
  readonly gateTimeout?: string;
  readonly allowErroredBaseline?: boolean;
  readonly workspace?: string;
  readonly isolation?: string;
  /** true: the option was given without a tier. */
  readonly requireIsolation?: string | true;
  readonly cleanRoom?: boolean;
  /** Globs in addition to the default; false: protect nothing. */
  readonly protect?: readonly string[] | false;
  readonly deliver?: string;
  readonly wait?: boolean;
  readonly profile?: string;
  readonly json?: boolean;
  readonly detach?: boolean;
  readonly ui?: boolean;
  readonly dryRun?: boolean;
}

export const DEFAULT_FILE = "converge.yaml";

function gatesFrom({ gate, gateTimeout, allowErroredBaseline }: RunFlags): Record<string, unknown> {
  return {
    ...(gate && gate.length > 0 && { gates: gate }),
    ...(gateTimeout !== undefined && { gateTimeout }),
    ...(allowErroredBaseline && { allowErroredBaseline }),
  };
}

function protectFrom({ protect }: RunFlags): { protect?: unknown } {
  if (protect === undefined) return {};
  return { protect: protect === false ? "off" : ["default", ...protect] };
}

/** Converts flags to fields of the task file. */
export function inputFrom(flags: RunFlags): Record<string, unknown> {
  if (flags.agent && flags.agentCmd) throw new UsageError("give --agent or --agent-cmd, not both");
  const limits = {
    ...(flags.maxIterations !== undefined && { iterations: number(flags.maxIterations) }),
    ...(flags.maxTime !== undefined && { time: flags.maxTime }),
    ...(flags.maxCost !== undefined && { cost: number(flags.maxCost) }),
    ...(flags.iterationTimeout !== undefined && { iteration: flags.iterationTimeout }),
  };
  const require = flags.requireIsolation === true ? "contained" : flags.requireIsolation;
  const isolation = {
    ...(flags.isolation !== undefined && { type: flags.isolation }),
    ...(require !== undefined && { require }),
  };
  return {
    ...(flags.prompt !== undefined && { prompt: flags.prompt }),
    ...(flags.agent !== undefined && { agent: flags.agent }),
    ...(flags.agentCmd !== undefined && { agent: { type: "command", command: flags.agentCmd } }),
    ...gatesFrom(flags),
    ...(flags.strategy !== undefined && { strategy: flags.strategy }),
    ...(flags.workspace !== undefined && { workspace: flags.workspace }),
    ...(Object.keys(isolation).length > 0 && { isolation }),
    ...(flags.cleanRoom && { cleanRoom: true }),
    ...protectFrom(flags),
    ...(flags.deliver !== undefined && { deliver: flags.deliver }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

export function fileFrom(given: string | undefined): { file?: string } {
  if (given) return { file: given };
  return fs.existsSync(path.resolve(DEFAULT_FILE)) ? { file: DEFAULT_FILE } : {};
}

export function run(file: string | undefined, flags: RunFlags): Promise<number> {
  return begin({ ...fileFrom(file), flags: inputFrom(flags) }, flags);
}

/** Reads the task, starts its run, and drives it here unless detached. */
export async function begin(source: Omit<TaskSource, "cwd">, flags: RunFlags): Promise<number> {
  if (flags.ui && flags.detach)
    throw new UsageError("give --ui or --detach, not both: `converge serve` shows every run");
  const profile = flags.profile ? { profile: flags.profile } : {};
  const given = { ...profile, cwd: process.cwd(), ...source };
  const limits = { ...attendance(flags).limits, ...source.defaults?.limits };
  const read = await prepareTask(
    { ...given, defaults: { ...source.defaults, limits } },
    { onRead: showNotes, isDrivenHere: true },
  );
  if (flags.dryRun) return (await import("./dry-run.ts")).dryRun(read, flags.json ?? false);
  const app = openContext();
  return flags.detach ? letGo(app, read, flags) : stayWith(app, read, flags);
}

/** Default limits: only an unattended run, without a person at the terminal, has a time limit. */
export function attendance({ detach }: Pick<RunFlags, "detach">): TaskInput {
  return !detach && process.stdout.isTTY && process.stdin.isTTY ? {} : UNATTENDED;
}

async function stayWith(app: Context, read: ReadTask, flags: RunFlags): Promise<number> {
  const { id, hold } = await startRun(app, read, warn);
  const page = flags.ui ? await (await import("./beside.ts")).pageBeside(id) : undefined;
  try {
    const shown = { json: flags.json ?? false, wait: flags.wait ?? false };
    const code = await driveAndShow(app, id, { ...shown, hold });
    return (await offerToGoOn(app, id, shown)) ?? code;
  } finally {
    await page?.close();
  }
}

async function letGo(app: Context, read: ReadTask, flags: RunFlags): Promise<number> {
  const { id, log } = await launchRun(app, read, {
    cli: process.argv[1] ?? "converge",
    wait: flags.wait ?? false,
    warn,
  });
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ run: id, log })}\n`
      : `run ${id} goes on in the background\n  converge watch ${id}    look at it\n  converge stop ${id}     end it\n`,
  );
  return 0;
}
