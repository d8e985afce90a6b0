// converge validate
import { builtIns } from "#app/built-ins";
import { readTask } from "#app/config/read-task";
import { homeFrom } from "#app/home";
import { makeParts } from "#app/parts";
import { DEFAULT_FILE } from "./run.ts";

export interface ValidateFlags {
  readonly profile?: string;
  readonly json?: boolean;
}

export async function validate(file: string | undefined, flags: ValidateFlags): Promise<number> {
  const registries = builtIns();
  const name = file ?? DEFAULT_FILE;
  const userFile = homeFrom(process.env).userConfig;
  const profile = flags.profile ? { profile: flags.profile } : {};
  const { task, hash, sources, warnings } = await readTask(
    { file: name, userFile, ...profile, cwd: process.cwd() },
    registries,
  );
  await (await makeParts(task, registries)).close();
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ valid: true, hash, sources, warnings, task })}\n`);
    return 0;
  }
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const gates = task.gates.map((gate) => gate.name).join(", ") || "none";
  process.stdout.write(
    `${name} is valid: agent ${task.agent.type}, strategy ${task.strategy.type}, gates ${gates}, up to ${task.limits.iterations} iterations\n`,
  );
  return 0;
}
