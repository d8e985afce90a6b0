// The agent works in the user's own folder.
import type { Workspace } from "#spec/workspace";
import { deliverer } from "./deliver.ts";
import { protector } from "./protect.ts";
import { openShadow } from "./shadow.ts";
import { userRules } from "./user-rules.ts";

export interface WorkspaceOptions {
  readonly dir: string;
  /** Where the shadow of this folder is kept. */
  readonly shadowDir: string;
  /** Further ignore rules. */
  readonly exclude: readonly string[];
}

export async function inPlace(options: WorkspaceOptions): Promise<Workspace> {
  const { excluded, forced } = await userRules(options.dir);
  const shadow = openShadow(options.shadowDir, options.dir, {
    excluded: [...excluded, ...options.exclude],
    forced,
  });
  const place = { gitDir: options.shadowDir, dir: options.dir };
  return {
    dir: options.dir,
    ...shadow,
    ...protector(place),
    ...deliverer({ ...place, snapshot: () => shadow.snapshot() }),
  };
}
