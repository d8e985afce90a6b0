// A run as its record says that it stands.
import { foldAll } from "#loop/fold";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { App } from "./context.ts";

export async function loadRun({ store }: Pick<App, "store">, id: string): Promise<Run> {
  const run = foldAll(await store.read(id));
  if (!run) throw new UsageError(`there is no run ${id}; \`converge ls\` lists them`);
  return run;
}
