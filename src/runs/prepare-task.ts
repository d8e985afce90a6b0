// A task as every door reads it: with the user's own defaults, and its parts made once, so that what cannot be made shows early.
import { builtIns } from "#catalog/built-ins";
import { firstAgent } from "#catalog/installed-agents";
import { makeParts } from "#catalog/parts";
import type { TaskSource } from "#config/layers";
import { type ReadTask, readTask } from "#config/read-task";
import { refuseWithoutGates } from "#config/refuse-without-gates";
import { homeFrom } from "#state/home";

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
  refuseWithoutGates(read.task);
  told(read);
  await (await makeParts(read.task, registries)).close();
  return read;
}
