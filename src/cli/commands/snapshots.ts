// converge diff, converge restore
import { findRun } from "#app/find-run";
import { openApp } from "#app/open";
import { diffRun, restoreRun } from "#app/snapshots";

export async function diff(given: string, from: string | undefined, to: string | undefined): Promise<number> {
  const app = openApp();
  process.stdout.write(await diffRun(app, await findRun(app, given), from, to));
  return 0;
}

export async function restore(
  given: string,
  flags: { readonly iteration: string; readonly json?: boolean },
): Promise<number> {
  const app = openApp();
  const id = await findRun(app, given);
  const restored = await restoreRun(app, id, flags.iteration);
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
