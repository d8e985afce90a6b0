// Delivers the work as a new branch. Never changes the checkout and never moves an existing branch.
import type { Delivered } from "#spec/workspace";
import { type Plan, plan, writeCommits } from "./commits.ts";
import type { Delivery } from "./delivery.ts";

const MOST_NAMES = 9;
const NOTHING = "0".repeat(40);

/** Branch names in the order they are tried; the last is for a repository with a branch called "converge". */
function ownNames(run: string): string[] {
  const later = Array.from({ length: MOST_NAMES - 1 }, (_, index) => `converge/${run}-${index + 2}`);
  return [`converge/${run}`, ...later, `converge-${run}`];
}

interface Kept {
  readonly branch: string;
  readonly commit: string;
}

/** Looks up the branch. One with exactly this tree comes from an earlier attempt that was interrupted. */
async function taken(
  { user }: Delivery,
  branch: string,
  { tree }: Plan,
): Promise<Kept | "other" | undefined> {
  const commit = await user.commit(`refs/heads/${branch}`);
  if (commit === undefined) return undefined;
  return (await user.treeOf(commit)) === tree ? { branch, commit } : "other";
}

/** Creates the branch under the first free name, or reuses the branch of an earlier attempt. */
async function keepUnder(
  delivery: Delivery,
  planned: Plan,
  names: readonly string[],
): Promise<Kept | undefined> {
  const { user, run } = delivery;
  let made: string | undefined;
  for (const branch of names) {
    const found = await taken(delivery, branch, planned);
    if (found === "other") continue;
    if (found) return found;
    made ??= await writeCommits(delivery, planned);
    const args = ["update-ref", "-m", `converge: run ${run}`, `refs/heads/${branch}`, made, NOTHING];
    if ((await user.git(args)).code === 0) return { branch, commit: made };
  }
  return undefined;
}

/** Puts the work on a branch named after the run. */
export async function keepBranch(delivery: Delivery, planned: Plan): Promise<Kept> {
  const names = ownNames(delivery.run);
  const kept = await keepUnder(delivery, planned, names);
  if (!kept) throw new Error(`none of the branches ${names[0]} to ${names.at(-1)} could be made`);
  return kept;
}

export async function deliverBranch(delivery: Delivery): Promise<Delivered> {
  const planned = await plan(delivery);
  const { type, branch: asked } = delivery.how;
  const { tree } = delivery;
  if (asked === undefined) return { type, tree, ...(await keepBranch(delivery, planned)) };
  const exact = await keepUnder(delivery, planned, [asked]);
  if (exact) return { type, tree, ...exact };
  const kept = await keepBranch(delivery, planned);
  const problem = `the branch ${asked} could not be made without moving or replacing another one; the work is on ${kept.branch}: rename one of them`;
  return { type, tree, ...kept, problem };
}
