// Workspace in the user's own folder.
import type { Workspace } from "#spec/workspace";
import { deliverer } from "./deliver/deliver.ts";
import { protector } from "./protect/protect.ts";
import { outputFinder } from "./shadow/outputs.ts";
import { openShadow } from "./shadow/shadow.ts";
import { userRules } from "./user-repository.ts";

export interface WorkspaceOptions {
  readonly dir: string;
  /** The git directory of this folder's shadow. */
  readonly shadowDir: string;
  /** Further ignore rules. */
  readonly exclude: readonly string[];
  /** Paths that gates wrote so far; snapshots leave them out. */
  readonly outputs?: readonly string[];
  /** Paths that gates wrote at the baseline; they are not protected either. */
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
