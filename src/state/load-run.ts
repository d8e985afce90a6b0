// Loads a run: reads its events and folds them.
import { foldAll } from "#loop/fold";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Context } from "./context.ts";

export async function loadRun({ store }: Pick<Context, "store">, id: string): Promise<Run> {
  const run = foldAll(await store.read(id));
  if (!run) throw new UsageError(`there is no run ${id}; \`converge ls\` lists them`);
  return run;
}
