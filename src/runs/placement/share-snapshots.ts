// How the snapshots of a run get to other machines: pushed where the task says so, or else kept in the store they share.
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { byPushing } from "#workspaces/push";
import { asPacks, orSaid, type Share } from "#workspaces/share";
import { baseTree, fetchable } from "./repository-base.ts";

/** The number of the iteration that the run is in, which its record tells. */
function iterationOf({ store }: Context, run: Run): () => Promise<number> {
  let { seq } = run;
  let number = run.iterations.length;
  return async () => {
    for (const event of await store.read(run.id, seq)) {
      seq = event.seq;
      if (event.type === "iteration.started") number = event.iteration;
    }
    return number;
  };
}

/** Undefined when there is nobody to share them with. */
export async function shareFor(
  app: Context,
  run: Run,
  warn: (text: string) => void = () => {},
): Promise<Share | undefined> {
  const place = { gitDir: app.home.shadowOf(run.dir), run: run.id };
  const { snapshots: url } = run.task.workspace;
  if (url !== undefined)
    return byPushing({ ...place, url: fetchable(url), iteration: iterationOf(app, run) }, warn);
  const { packs } = app.store;
  if (!packs) return undefined;
  const base = await baseTree(app, run);
  return orSaid(asPacks({ ...place, packs, ...(base !== undefined && { base }) }), warn);
}
