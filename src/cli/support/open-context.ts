// Opens the context with the queue, for commands that may hand runs to workers.

import { queueAt } from "#engine/queue";
import { type Context, openContext } from "#state/context";

export function openWithQueue(env: NodeJS.ProcessEnv = process.env): Context {
  const app = openContext(env);
  const { presence } = app.store;
  const url = env.CONVERGE_DATABASE_URL;
  return url && presence ? { ...app, queue: queueAt(url, () => presence.capacity()) } : app;
}
