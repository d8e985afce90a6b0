// Validates a task and submits it to the workers. The run is queued before it is written, so that no written run is
// ever missing from the queue; a worker that dequeues it early waits for the write.
import os from "node:os";
import type { ReadTask } from "#config/read-task";
import { projectOf } from "#rules/project";
import { UsageError } from "#spec/errors";
import type { Submission } from "#spec/submission";
import type { Task } from "#spec/task";
import type { Context } from "#state/context";
import { bundleWorkspace } from "./placement/bundle.ts";
import { resolveRef, taskOfRepository } from "./placement/place-workspace.ts";
import { recordStart } from "./recording/record.ts";
import { finalizeTask, newId, realFolder, startEvent } from "./start.ts";

type Wish = Pick<Submission, "priority" | "labels" | "startAt">;

/** Refuses custom modules: local code cannot run on another machine. */
function refuseModules({ agents, gates, strategy, memory }: Task): void {
  const parts = [...agents, ...gates.map(({ use }) => use), strategy, memory];
  const custom = parts.find(({ type, module }) => type === "custom" || module !== undefined);
  if (custom)
    throw new UsageError(
      `a task with a module of your own (${custom.type}) cannot be given to workers, which do not have it; use \`converge run\``,
    );
}

/** Refuses addresses: they are stored only on the machine that starts the run, and in no record. */
function refuseAddresses(addresses: ReadTask["addresses"]): void {
  if (Object.keys(addresses).length > 0)
    throw new UsageError(
      "notify: the URL would stay on this machine, where no worker finds it; write urlEnv: NAME, and set that variable for the workers",
    );
}

/** Refuses deliveries a worker cannot make: it cannot reach the folder's repository, and its clones are deleted. */
function refuseDeliveryThere({ deliver, workspace }: Task): void {
  if (!deliver || deliver.type === "patch") return;
  if (workspace.git && deliver.type === "commit")
    throw new UsageError(
      "deliver: a commit would be made in a clone that does not stay; say branch or pull-request, which are pushed",
    );
  if (workspace.git) return;
  throw new UsageError(
    `deliver: a ${deliver.type} cannot be made by a worker for a folder that is sent along; name the repository (workspace: {git: URL, ref: BRANCH}), or take the work over here when it is done: converge diff RUN | git apply`,
  );
}

interface Movable {
  readonly task: Task;
  readonly dir: string;
  readonly head?: string;
}

/** Resolves the workspace to a source that any machine can fetch: a commit or a bundle. */
async function makeMovable(
  app: Context,
  { id, ...read }: Pick<ReadTask, "task" | "taskIn"> & { readonly id: string },
  warn: (text: string) => void,
): Promise<Movable> {
  const { workspace } = read.task;
  refuseDeliveryThere(read.task);
  if (workspace.git) {
    const dir = app.home.worktreeOf(id);
    const task = await taskOfRepository(app, read);
    return { task: { ...task, workspace: { ...workspace, dir } }, dir, head: await resolveRef(app, task) };
  }
  const dir = realFolder(workspace.dir);
  const { tree: bundle, repository, omitted } = await bundleWorkspace(app, id, dir);
  for (const one of omitted) warn(`not sent along: ${one}`);
  const sent = { type: "in-place", dir, bundle, ...(repository && { repository }) };
  return { task: { ...read.task, workspace: { ...workspace, ...sent } }, dir };
}

export async function submitRun(
  app: Context,
  read: Pick<ReadTask, "task" | "addresses" | "taskIn">,
  { wish, warn }: { readonly wish: Wish; readonly warn: (text: string) => void },
): Promise<string> {
  const { queue, store } = app;
  if (!queue || !store.presence)
    throw new UsageError(
      "there are no workers without a shared database: set CONVERGE_DATABASE_URL to the database that the workers use",
    );
  refuseModules(read.task);
  refuseAddresses(read.addresses);
  const id = newId();
  const project = projectOf(read.task.workspace);
  const { task: moved, dir, head } = await makeMovable(app, { ...read, id }, warn);
  const task = await finalizeTask(app, moved, warn);
  const repository = task.workspace.git?.url ?? `${os.hostname()}:${dir}`;
  const submission: Submission = { ...wish, repository, project };
  const body = { ...startEvent(task, dir, head), submission };
  await queue.put(id, submission, wish.startAt === undefined ? {} : { startAt: wish.startAt });
  await recordStart(app, id, body);
  return id;
}
