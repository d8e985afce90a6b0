// Chooses the parent commit of a delivery: the start commit, or the agent's own commits since then.
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
 * Whether the judged files can be committed on top of the commit without reverting anybody's work: each path that it
 * changed is the same in the judged tree, or was changed again and is still as judged.
 */
async function carries(delivery: Delivery, commit: string, paths: readonly string[]): Promise<boolean> {
  const { judged, user, inPlace } = delivery;
  const { prefix } = user;
  const committed = await user.list(commit);
  const since = judged.now && new Set(differing(judged.tree, judged.now));
  return paths.every((name) => {
    // No gate judged files outside the workspace; in place, the user's own branch already has them.
    if (!name.startsWith(prefix)) return inPlace;
    const inside = name.slice(prefix.length);
    if (committed.get(inside) === judged.tree.get(inside)) return true;
    return since !== undefined && !since.has(inside);
  });
}

export interface Parent {
  readonly commit: string;
  /** Paths committed during the run, relative to the workspace. */
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
