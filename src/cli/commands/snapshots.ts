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
  const restored = await restoreRun(app, await findRun(app, given), flags.iteration);
  const which = restored.iteration === 0 ? "the base" : `iteration ${restored.iteration}`;
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(restored)}\n`
      : `${restored.dir} is back at ${which}\nwhat was there before is kept as snapshot ${restored.saved.slice(0, 12)}\n`,
  );
  return 0;
}
