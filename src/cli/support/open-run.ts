// Opens the state folder, the queue and single runs. Imports lazily: every command file is loaded to print the help.
import { UsageError } from "#spec/errors";
import type { Presence } from "#spec/presence";
import type { Context } from "#state/context";
import type { View } from "#views/run-view";

/** Opens the context with the queue, for commands that may pass runs to workers. */
export async function openWithQueue(env: NodeJS.ProcessEnv = process.env): Promise<Context> {
  const { openContext } = await import("#state/context");
  const app = openContext(env);
  const { presence } = app.store;
  const url = env.CONVERGE_DATABASE_URL;
  if (!url || !presence) return app;
  const { queueAt } = await import("#engine/queue");
  return { ...app, queue: queueAt(url, () => presence.capacity()) };
}

export interface OpenRun {
  readonly app: Context;
  readonly id: string;
}

/** Finds a run by its id, a unique prefix of it, or `last`. */
export async function openRun(typed: string, app?: Context): Promise<OpenRun> {
  const { openContext } = await import("#state/context");
  const { findRun } = await import("#state/find-run");
  const opened = app ?? openContext();
  return { app: opened, id: await findRun(opened, typed) };
}

export async function viewRun({ app, id }: OpenRun): Promise<View> {
  const { viewOf } = await import("#views/run-view");
  const view = await viewOf(app, id);
  if (!view) throw new UsageError(`run ${id} has no events`);
  return view;
}

/** Opens the worker presence of the shared database. Fails without a database. */
export async function sharedPresence(): Promise<{ readonly presence: Presence; readonly url: string }> {
  const { openContext } = await import("#state/context");
  const { presence } = openContext().store;
  const url = process.env.CONVERGE_DATABASE_URL;
  if (presence && url) return { presence, url };
  throw new UsageError(
    "no shared database; set CONVERGE_DATABASE_URL=postgres://USER:PASSWORD@HOST/DATABASE",
  );
}
