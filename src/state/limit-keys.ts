// What the limits on how much is driven at once count a run by.
import type { Kinds } from "#spec/presence";
import type { Run } from "#spec/run";

export function kindsOf({ submission, task }: Pick<Run, "submission" | "task">): Kinds {
  return {
    repository: submission?.repository ?? task.workspace.git?.url ?? task.workspace.dir,
    agent: task.agents[0]?.type ?? "",
  };
}
