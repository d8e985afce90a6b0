// converge diff, converge restore

import { diffRun, restoreRun, undoneDiff, undoneIterationOf } from "#runs/snapshots";
import { UsageError } from "#spec/errors";
import { openContext } from "#state/context";
import { findRun } from "#state/find-run";
import { undoneLine } from "../output/undone.ts";
import { warn } from "../support/warn.ts";

interface DiffFlags {
  readonly from?: string;
  readonly to?: string;
  readonly undone?: boolean;
}

export async function diff(given: string, { from, to, undone }: DiffFlags): Promise<number> {
  const app = openContext();
  const id = await findRun(app, given);
  if (undone && to !== undefined)
    throw new UsageError("--undone shows one iteration; name a single one: converge diff RUN N --undone");
  const text = undone ? await undoneDiff(app, id, from) : await diffRun(app, id, { from, to });
  process.stdout.write(text);
  const iteration =
    undone || from === undefined || to !== undefined ? undefined : await undoneIterationOf(app, id, from);
  // On standard error, so that standard output remains a valid patch.
  if (iteration) process.stderr.write(`${undoneLine(id, iteration)}\n`);
  return 0;
}

export async function restore(
  given: string,
  flags: { readonly iteration: string; readonly json?: boolean },
): Promise<number> {
  const app = openContext();
  const id = await findRun(app, given);
  const restored = await restoreRun(app, { id, snapshot: flags.iteration }, warn);
  const { dir, iteration, tree, saved } = restored;
  const which = `${iteration === 0 ? "the base" : `iteration ${iteration}`} (${tree.slice(0, 12)})`;
  const back = `converge restore ${id} --iteration ${saved.slice(0, 12)}`;
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(restored)}\n`
      : `${dir} is back at ${which}\nwhat was there before is kept: ${back}\n`,
  );
  return 0;
}
