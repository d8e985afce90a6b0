// Finds the run named in a URL, if the store lists it.
import type { CachedRun } from "#views/run-cache";
import type { ServerContext } from "./route.ts";

/** Handlers throw this for a missing resource; the client gets a 404. */
export class NotFound extends Error {
  override readonly name = "NotFound";
}

export async function findRun({ app, runCache }: ServerContext, id: string): Promise<CachedRun> {
  const rows = await app.store.runs();
  if (rows.some((row) => row.id === id)) return runCache.get(id);
  throw new NotFound(`run ${id} not found. GET /api/v1/runs lists all runs`);
}
