// Completes a task with the defaults of its fields.
import { TASK_DEFAULTS, type Task } from "#spec/task";

/** What a task must say itself. */
type Essentials = Pick<Task, "prompt" | "agents"> & { readonly workspace: { readonly dir: string } };

/** A resolved task with these fields and the defaults of all others. */
export function defaultTask(fields: Essentials & Partial<Omit<Task, "workspace">>): Task {
  return { ...TASK_DEFAULTS, ...fields, workspace: { ...TASK_DEFAULTS.workspace, ...fields.workspace } };
}
