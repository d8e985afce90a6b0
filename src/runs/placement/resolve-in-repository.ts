// A task that is handed to another machine: what its files ask for is found in the repository, not in the folder here.
import path from "node:path";
import type { ReadTask } from "#config/read-task";
import type { Task } from "#spec/task";
import type { Context } from "#state/context";
import { cloneInto } from "#workspaces/clone";
import { withMirror } from "#workspaces/mirror";
import { mirrorPlace, withScratch } from "./repository-base.ts";

/** The task with what is protected, and what a clean room is set up with, as its repository has it now. */
export async function taskOfRepository(
  app: Context,
  { task, taskIn }: Pick<ReadTask, "task" | "taskIn">,
): Promise<Task> {
  const { git } = task.workspace;
  if (!git) return task;
  return withScratch(app, (scratch) =>
    withMirror(mirrorPlace(app, git.url), { ref: git.ref }, async (mirror, commit) => {
      const dir = path.join(scratch, "workspace");
      await cloneInto(dir, { mirror, url: git.url, ref: git.ref, commit });
      return { ...(await taskIn(dir)), workspace: task.workspace };
    }),
  );
}
