// converge show

import { UsageError } from "#spec/errors";
import { openContext } from "#state/context";
import { findRun } from "#state/find-run";
import { stateWord, viewOf } from "#views/run-view";
import { protectedLines } from "../output/protected.ts";
import { styleFor } from "../output/style.ts";
import { summary } from "../output/summary.ts";

export async function show(
  given: string,
  flags: { readonly json?: boolean; readonly protected?: boolean },
): Promise<number> {
  const app = openContext();
  const id = await findRun(app, given);
  const view = await viewOf(app, id);
  if (!view) throw new UsageError(`run ${id} has no events`);
  if (flags.json) {
    process.stdout.write(
      `${JSON.stringify({ state: stateWord(view), driver: view.driver ?? null, progress: view.progress, run: view.run })}\n`,
    );
    return 0;
  }
  if (flags.protected) {
    process.stdout.write(`${protectedLines(view.run.task.protect).join("\n")}\n`);
    return 0;
  }
  const style = styleFor(process.stdout, process.env);
  const columns = process.stdout.columns || 100;
  for (const line of summary(view.run, view.progress, style, columns, stateWord(view)))
    process.stdout.write(`${line}\n`);
  return 0;
}
