// The keys by which concurrency limits count a run: repository and agent.
import type { Kinds } from "#spec/presence";
import type { Run } from "#spec/run";

export function limitKeys({ submission, task }: Pick<Run, "submission" | "task">): Kinds {
  return {
    repository: submission?.repository ?? task.workspace.git?.url ?? task.workspace.dir,
    agent: task.agents[0]?.type ?? "",
  };
}
