// The run that a URL names, if the store lists it.
import type { Kept } from "#views/run-cache";
import type { Desk } from "./route.ts";

/** Thrown by handlers for what is not there. */
export class NotFound extends Error {
  override readonly name = "NotFound";
}

export async function runOf({ app, kept }: Desk, id: string): Promise<Kept> {
  const rows = await app.store.runs();
  if (rows.some((row) => row.id === id)) return kept.get(id);
  throw new NotFound(`there is no run ${id}; GET /api/v1/runs lists them`);
}
