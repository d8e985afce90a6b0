// Delivers a commit on the checked-out branch. Never forces it: when it is impossible, the work goes to a new branch.
import type { Delivered } from "#spec/workspace";
import { keepBranch } from "./branch.ts";
import { type Plan, plan, writeCommits } from "./commits.ts";
import type { Delivery } from "./delivery.ts";
import { alignIndex } from "./index-entries.ts";
import { said } from "./message.ts";
import { underWay } from "./repository.ts";

async function instead(delivery: Delivery, planned: Plan, why: string): Promise<Delivered> {
  const kept = await keepBranch(delivery, planned);
  const { type } = delivery.how;
  const problem = `${why}; the work is on the branch ${kept.branch}: git merge ${kept.branch}`;
  return { type, tree: delivery.tree, ...kept, problem };
}

/** The name of HEAD for messages. */
const named = (branch: string | undefined) => branch ?? "the detached HEAD";

async function done(delivery: Delivery, commit: string): Promise<Delivered> {
  const branch = await delivery.user.branch();
  return { type: delivery.how.type, tree: delivery.tree, commit, ...(branch && { branch }) };
}

/** Moves only HEAD and the index: the workspace is the user's folder, so its files are already up to date. */
async function inPlace(delivery: Delivery, planned: Plan, at: string): Promise<Delivered> {
  const { user, run } = delivery;
  if (planned.parent !== at)
    return instead(delivery, planned, `${named(await user.branch())} has moved since the run started`);
  const commit = await writeCommits(delivery, planned);
  if (commit !== at) {
    // Compare-and-swap: must not overwrite a concurrent commit.
    const moved = await user.git(["update-ref", "-m", `converge: run ${run}`, "HEAD", commit, at]);
    if (moved.code !== 0)
      return instead(
        delivery,
        planned,
        `${named(await user.branch())} could not be moved (${said(moved.stderr)})`,
      );
  }
  const problem = await alignIndex(delivery, { from: at, to: commit });
  return { ...(await done(delivery, commit)), ...(problem && { problem }) };
}

// Only the fast-forward: no submodules, no garbage collection, no signature programs.
const ALONE = [
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "merge.verifySignatures=false",
];
const FORWARD = ALONE.flatMap((setting) => ["-c", setting]);

/** Fast-forwards the user's folder to the work from a worktree; falls back to a branch. */
async function forward(delivery: Delivery, planned: Plan, at: string): Promise<Delivered> {
  const { user, head: start = "" } = delivery;
  if ((await user.treeOf(at)) === planned.tree && (await user.isAncestor(start, at)))
    return done(delivery, at);
  const name = named(await user.branch());
  const commit = await writeCommits(delivery, planned);
  if (!(await user.isAncestor(at, commit)))
    return instead(delivery, planned, `${name} has moved since the run started`);
  const args = ["merge", "--ff-only", "--no-autostash", "--no-stat", "--quiet", commit];
  const merged = await user.git([...FORWARD, ...args]);
  if (merged.code === 0) return done(delivery, commit);
  return instead(delivery, planned, `${name} could not be moved forward (${said(merged.stderr)})`);
}

export async function deliverCommit(delivery: Delivery): Promise<Delivered> {
  const planned = await plan(delivery);
  const busy = underWay(delivery.user);
  if (busy) return instead(delivery, planned, `${delivery.user.top} is in the middle of ${busy}`);
  const at = await delivery.user.commit("HEAD");
  if (!at) return instead(delivery, planned, `${delivery.user.top} has no commit checked out`);
  return delivery.inPlace ? inPlace(delivery, planned, at) : forward(delivery, planned, at);
}
