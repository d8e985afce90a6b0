// A task as every door reads it: with the user's own defaults, and its parts made once, so that what cannot be made shows early.
import { builtIns } from "./built-ins.ts";
import type { TaskSource } from "./config/layers.ts";
import { type ReadTask, readTask } from "./config/read-task.ts";
import { homeFrom } from "./home.ts";
import { firstAgent } from "./installed.ts";
import { makeParts } from "./parts.ts";

/** `told` hears what is to be said of the task before its parts are made. */
export async function prepareTask(
  source: TaskSource,
  told: (read: ReadTask) => void = () => {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<ReadTask> {
  const registries = builtIns();
  const agent = firstAgent(env);
  const defaults = { userFile: homeFrom(env).userConfig, ...(agent && { agent }) };
  const read = await readTask({ ...defaults, ...source }, registries);
  told(read);
  await (await makeParts(read.task, registries)).close();
  return read;
}
