// The commit that the work is put upon: the one checked out at the start, or what the agent has committed since.
import { must } from "#system/git";
import type { Delivery } from "./delivery.ts";
import { differing } from "./listing.ts";

async function changedBetween({ user }: Delivery, from: string, to: string): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to];
  return must(await user.git(args), "comparing commits")
    .split("\0")
    .filter(Boolean);
}

/**
 * Whether the judged files can stand upon the commit without undoing anybody's work: what it changed is in them, or
 * was changed further since, in files that are still as they were judged.
 */
async function carries(delivery: Delivery, commit: string, paths: readonly string[]): Promise<boolean> {
  const { judged, user, inPlace } = delivery;
  const { prefix } = user;
  const committed = await user.list(commit);
  const since = judged.now && new Set(differing(judged.tree, judged.now));
  return paths.every((name) => {
    // What lies outside of the workspace was judged by nobody; the user's own branch has it already.
    if (!name.startsWith(prefix)) return inPlace;
    const inside = name.slice(prefix.length);
    if (committed.get(inside) === judged.tree.get(inside)) return true;
    return since !== undefined && !since.has(inside);
  });
}

export interface Parent {
  readonly commit: string;
  /** Paths, from the workspace on, that were committed during the run. */
  readonly committed: ReadonlySet<string>;
}

export async function findParent(delivery: Delivery): Promise<Parent> {
  const { head, user, work } = delivery;
  const start = head && (await user.commit(head));
  if (!start)
    throw new Error(
      head
        ? `the commit ${head.slice(0, 12)}, which was checked out at the start, is no longer in ${user.top}`
        : `no commit was checked out in ${user.top} when the run started`,
    );
  const now = await work.commit("HEAD");
  if (!now || now === start || !(await user.isAncestor(start, now)))
    return { commit: start, committed: new Set() };
  const paths = await changedBetween(delivery, start, now);
  if (!(await carries(delivery, now, paths))) return { commit: start, committed: new Set() };
  const { prefix } = user;
  const inside = paths.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return { commit: now, committed: new Set(inside) };
}
