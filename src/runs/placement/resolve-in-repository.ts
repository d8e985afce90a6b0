// Resolves a task for another machine: its paths are looked up in the repository, not in the local folder.
import path from "node:path";
import type { ReadTask } from "#config/read-task";
import type { Task } from "#spec/task";
import type { Context } from "#state/context";
import { cloneInto } from "#workspaces/clone";
import { withMirror } from "#workspaces/mirror";
import { mirrorPlace, withScratch } from "./repository-base.ts";

/** The task with its protected paths and clean-room setup resolved against the repository's current ref. */
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
