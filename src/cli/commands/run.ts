// converge run
import fs from "node:fs";
import path from "node:path";
import { builtIns } from "#app/built-ins";
import type { TaskSource } from "#app/config/layers";
import { readTask } from "#app/config/read-task";
import { resumeDetached } from "#app/detach";
import { homeFrom } from "#app/home";
import { firstAgent } from "#app/installed";
import { isolationFor } from "#app/isolation";
import { openApp } from "#app/open";
import { makeParts } from "#app/parts";
import { startRun } from "#app/start";
import { UsageError } from "#spec/errors";
import { driveAndShow } from "../drive-and-show.ts";
import { number } from "../number.ts";

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
  readonly workspace?: string;
  readonly isolation?: string;
  /** true: without a tier. */
  readonly requireIsolation?: string | true;
  readonly cleanRoom?: boolean;
  readonly deliver?: string;
  readonly wait?: boolean;
  readonly profile?: string;
  readonly json?: boolean;
  readonly detach?: boolean;
  readonly ui?: boolean;
}

export const DEFAULT_FILE = "converge.yaml";

/** The flags in the words of the task file. */
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
    ...(flags.gate && flags.gate.length > 0 && { gates: flags.gate }),
    ...(flags.strategy !== undefined && { strategy: flags.strategy }),
    ...(flags.workspace !== undefined && { workspace: flags.workspace }),
    ...(Object.keys(isolation).length > 0 && { isolation }),
    ...(flags.cleanRoom && { cleanRoom: true }),
    ...(flags.deliver !== undefined && { deliver: flags.deliver }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

export function fileFrom(given: string | undefined): { file?: string } {
  if (given) return { file: given };
  return fs.existsSync(path.resolve(DEFAULT_FILE)) ? { file: DEFAULT_FILE } : {};
}

/** Who works when nobody is named. */
export function defaultAgent(): Pick<TaskSource, "agent"> {
  const agent = firstAgent(process.env);
  return agent ? { agent } : {};
}

export function run(file: string | undefined, flags: RunFlags): Promise<number> {
  return begin({ ...fileFrom(file), flags: inputFrom(flags) }, flags);
}

/** Reads the task, starts its run, and stays with it. */
export async function begin(source: Omit<TaskSource, "cwd">, flags: RunFlags): Promise<number> {
  const registries = builtIns();
  const read = await readTask(
    {
      ...(flags.profile && { profile: flags.profile }),
      userFile: homeFrom(process.env).userConfig,
      cwd: process.cwd(),
      ...defaultAgent(),
      ...source,
    },
    registries,
  );
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  for (const note of read.notes) process.stderr.write(`${note}\n`);
  read.warnings.forEach(warn);
  // A part that cannot be made, or a machine that cannot shut it off, is found here, before anything is written.
  await (await makeParts(read.task, registries)).close();
  isolationFor(read.task.isolation, homeFrom(process.env));
  const app = openApp();
  const { id, release } = await startRun(app, read, warn);
  if (!flags.detach)
    return driveAndShow(app, id, { json: flags.json ?? false, wait: flags.wait ?? false, release });
  release();
  const log = await resumeDetached(app, id, process.argv[1] ?? "converge", flags.wait ?? false);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ run: id, log })}\n`
      : `run ${id} goes on in the background\n  converge watch ${id}    look at it\n  converge stop ${id}     end it\n`,
  );
  return 0;
}
