// The agent works in the user's own folder.
import type { Workspace } from "#spec/workspace";
import { deliverer } from "./deliver/deliver.ts";
import { protector } from "./protect/protect.ts";
import { outputFinder } from "./shadow/outputs.ts";
import { openShadow } from "./shadow/shadow.ts";
import { userRules } from "./user-rules.ts";

export interface WorkspaceOptions {
  readonly dir: string;
  /** Where the shadow of this folder is kept. */
  readonly shadowDir: string;
  /** Further ignore rules. */
  readonly exclude: readonly string[];
  /** What gates wrote so far; snapshots leave it out. */
  readonly outputs?: readonly string[];
  /** What they wrote at the baseline; it is not protected either. */
  readonly outputsAtBaseline?: readonly string[];
}

export async function inPlace(options: WorkspaceOptions): Promise<Workspace> {
  const { excluded, forced } = await userRules(options.dir);
  const shadow = openShadow(options.shadowDir, options.dir, {
    excluded: [...excluded, ...options.exclude],
    forced,
  });
  if (options.outputs?.length) shadow.leaveOut(options.outputs);
  const outputs = { all: new Set(options.outputs), atBaseline: new Set(options.outputsAtBaseline) };
  const place = { gitDir: options.shadowDir, dir: options.dir };
  return {
    dir: options.dir,
    ...shadow,
    ...protector(place, outputs.atBaseline),
    ...outputFinder(options.dir, shadow, outputs),
    ...deliverer({ ...place, snapshot: () => shadow.snapshot() }),
  };
}
