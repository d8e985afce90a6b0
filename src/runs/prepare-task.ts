// Reads a task for every entry point, with the user's config file and default agent. Creates its parts once, so that an
// invalid part is rejected before a run starts.
import { builtIns, type Registries } from "#catalog/built-ins";
import { firstAgent } from "#catalog/installed-agents";
import { makeParts } from "#catalog/parts";
import type { TaskSource } from "#config/layers";
import { type ReadTask, readTask } from "#config/read-task";
import { homeFrom } from "#state/home";
import { resolveIsolation } from "./resolve-isolation.ts";

export interface PrepareOptions {
  /** Called before the task's parts are created, to show its warnings first. */
  readonly onRead?: (read: ReadTask) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** The parts that the task may name; the built-in ones by default. */
  readonly registries?: Registries;
  /** Changes the task before its parts are created. */
  readonly revise?: (read: ReadTask) => ReadTask;
  /** This machine drives the run: it must have the isolation that the task asks for. */
  readonly isDrivenHere?: boolean;
}

export async function prepareTask(source: TaskSource, options: PrepareOptions = {}): Promise<ReadTask> {
  const { env = process.env, registries = builtIns(), onRead, revise = (read) => read } = options;
  const home = homeFrom(env);
  const agent = firstAgent(env);
  const defaults = { userFile: home.userConfig, ...(agent && { agent }) };
  const read = revise(await readTask({ ...defaults, ...source }, registries));
  onRead?.(read);
  await (await makeParts(read.task, { registries, inline: read.inline })).close();
  if (options.isDrivenHere) resolveIsolation(read.task.isolation, home);
  return read;
}
