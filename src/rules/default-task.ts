// Completes a task with the defaults of its fields.
import { TASK_DEFAULTS, type Task, type WorkspaceSpec } from "#spec/task";

/** Fields without a default. */
interface RequiredFields extends Pick<Task, "prompt" | "agents"> {
  readonly workspace: Pick<WorkspaceSpec, "dir"> & Partial<WorkspaceSpec>;
}

/** A resolved task with these fields and the defaults of all others. */
export function defaultTask(fields: RequiredFields & Partial<Omit<Task, "workspace">>): Task {
  // A copy, so that a caller who changes its task does not change the defaults of all others.
  const defaults = structuredClone(TASK_DEFAULTS);
  return { ...defaults, ...fields, workspace: { ...defaults.workspace, ...fields.workspace } };
}
