// Shares the snapshots of a run with other machines: pushed to the task's remote, or else kept in the shared store.
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { shareByPush } from "#workspaces/push";
import { type Share, shareByPack, warnOnTooLarge } from "#workspaces/share";
import { baseTree, fetchable } from "./repository-base.ts";

/** The run's current iteration number, read from its record. */
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

/** Undefined without a remote and without a shared store. */
export async function shareFor(
  app: Context,
  run: Run,
  warn: (text: string) => void = () => {},
): Promise<Share | undefined> {
  const place = { gitDir: app.home.shadowOf(run.dir), run: run.id };
  const { snapshots: url } = run.task.workspace;
  if (url !== undefined)
    return shareByPush({ ...place, url: fetchable(url), iteration: iterationOf(app, run) }, warn);
  const { packs } = app.store;
  if (!packs) return undefined;
  const base = await baseTree(app, run);
  return warnOnTooLarge(shareByPack({ ...place, packs, ...(base !== undefined && { base }) }), warn);
}
