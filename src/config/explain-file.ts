// Explains why a file of the workspace is protected or not: its class, the reason, and the protections that match it.
import path from "node:path";
import { UsageError } from "#spec/errors";
import type { Classified } from "#spec/file-class";
import type { Protection } from "#spec/task";
import { pathInside } from "#system/inside";
import { matcher } from "#workspaces/protect/matcher";
import { openTaskClassifier } from "./find-protect.ts";
import type { ReadTask } from "./read-task.ts";

export interface Explained extends Classified {
  /** Relative to the workspace. */
  readonly path: string;
  readonly protectedBy: readonly Protection[];
}

/** `name` is relative to `cwd`. */
export async function explainFile(
  { task, sources, steeringFiles }: Pick<ReadTask, "task" | "sources" | "steeringFiles">,
  name: string,
  cwd: string,
): Promise<Explained> {
  const { dir } = task.workspace;
  const file = pathInside(dir, path.resolve(cwd, name));
  if (file === undefined)
    throw new UsageError(`--why: ${name} is outside the workspace ${dir}; expected a file inside it`);
  const classifier = await openTaskClassifier({
    gates: task.gates,
    dir,
    sources,
    strategy: task.strategy,
    steeringFiles,
  });
  const protectedBy = (task.protect?.paths ?? []).filter((one) => matcher(one).matches(file));
  return { path: file, ...classifier.classify(file), protectedBy };
}
