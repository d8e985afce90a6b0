// Delivers a commit on the checked-out branch. Never forces it: when it is impossible, the work goes to a new branch.
import { setTimeout as sleep } from "node:timers/promises";
import type { Delivered } from "#spec/workspace";
import { must } from "#system/git";
import { createOwnBranch } from "./branch.ts";
import { type Delivery, errorLine, writeScratch } from "./delivery.ts";
import { type CommitPlan, planCommits, writeCommits } from "./plan-commits.ts";
import { differingPaths, type Listing, operationInProgress } from "./repository.ts";

const INDEX_TRIES = 20;
const INDEX_PAUSE_MS = 100;
const DELETED_ENTRY = `0 ${"0".repeat(40)}`;

/** Parses `ls-files -s -z`: "mode id stage TAB path"; paths become relative to the workspace. */
async function readIndex({ user }: Delivery): Promise<Listing> {
  const { prefix } = user;
  const entries = must(await user.git(["ls-files", "-s", "-z"]), "reading the index").split("\0");
  const below = entries.filter((entry) => entry.slice(entry.indexOf("\t") + 1).startsWith(prefix));
  return new Map(
    below.filter(Boolean).map((entry) => {
      const tab = entry.indexOf("\t");
      const [mode, id] = entry.slice(0, tab).split(" ");
      return [entry.slice(tab + 1 + prefix.length), `${mode} ${id}`];
    }),
  );
}

/** Stale index entries of an attempt that was interrupted after moving HEAD and before updating the index. */
async function findStaleEntries(delivery: Delivery, commit: string): Promise<string[]> {
  const { user, head = commit } = delivery;
  const [index, now] = [await readIndex(delivery), await user.list(commit)];
  const earlier = [await user.list(head), await user.list(`${commit}^`)];
  return differingPaths(index, now).filter((name) =>
    earlier.some((list) => list.get(name) === index.get(name)),
  );
}

/**
 * Updates the user's index after a commit in place: only committed paths, so that other staged changes stay. Returns the
 * problem, or undefined on success; the commit is valid either way.
 */
async function updateIndex(
  delivery: Delivery,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | undefined> {
  const { user } = delivery;
  const now = await user.list(to);
  const names =
    from === to ? await findStaleEntries(delivery, to) : differingPaths(await user.list(from), now);
  if (names.length === 0) return undefined;
  const lines = names.map((name) => `${now.get(name) ?? DELETED_ENTRY}\t${user.prefix}${name}\0`);
  const file = writeScratch(delivery, "index.entries", lines.join(""));
  // Retry: the user's own git may briefly hold index.lock.
  for (let tries = 1; ; tries++) {
    const answer = await user.script('git update-index -z --index-info < "$1"', [file]);
    if (answer.code === 0) return undefined;
    if (tries === INDEX_TRIES || !answer.stderr.includes("index.lock"))
      return `the commit is made, but git cannot update the index (${errorLine(answer.stderr)}). Update it with: git reset`;
    await sleep(INDEX_PAUSE_MS);
  }
}

async function fallBackToBranch(delivery: Delivery, plan: CommitPlan, reason: string): Promise<Delivered> {
  const own = await createOwnBranch(delivery, plan);
  const { type } = delivery.how;
  const problem = `${reason}; the work is on the branch ${own.branch}. Merge it with: git merge ${own.branch}`;
  return { type, tree: delivery.tree, ...own, problem };
}

/** The name of HEAD for messages. */
async function headName({ user }: Delivery): Promise<string> {
  return (await user.branch()) ?? "the detached HEAD";
}

async function deliveredAs(delivery: Delivery, commit: string): Promise<Delivered> {
  const branch = await delivery.user.branch();
  return { type: delivery.how.type, tree: delivery.tree, commit, ...(branch && { branch }) };
}

/** Moves only HEAD and the index: the workspace is the user's folder, so its files are already up to date. */
async function commitInPlace(delivery: Delivery, plan: CommitPlan, at: string): Promise<Delivered> {
  const { user, run } = delivery;
  if (plan.parent !== at)
    return fallBackToBranch(delivery, plan, `${await headName(delivery)} has moved since the run started`);
  const commit = await writeCommits(delivery, plan);
  if (commit !== at) {
    // Compare-and-swap: must not overwrite a concurrent commit.
    const moved = await user.git(["update-ref", "-m", `converge: run ${run}`, "HEAD", commit, at]);
    if (moved.code !== 0) {
      const reason = `git cannot move ${await headName(delivery)} (${errorLine(moved.stderr)})`;
      return fallBackToBranch(delivery, plan, reason);
    }
  }
  const problem = await updateIndex(delivery, { from: at, to: commit });
  return { ...(await deliveredAs(delivery, commit)), ...(problem && { problem }) };
}

// Only the fast-forward: no submodules, no garbage collection, no signature programs.
const FAST_FORWARD = [
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "merge.verifySignatures=false",
].flatMap((setting) => ["-c", setting]);

/** Fast-forwards the user's folder to the work from a worktree; falls back to a branch. */
async function fastForward(delivery: Delivery, plan: CommitPlan, at: string): Promise<Delivered> {
  const { user, head: start = "" } = delivery;
  if ((await user.treeOf(at)) === plan.tree && (await user.isAncestor(start, at)))
    return deliveredAs(delivery, at);
  const name = await headName(delivery);
  const commit = await writeCommits(delivery, plan);
  if (!(await user.isAncestor(at, commit)))
    return fallBackToBranch(delivery, plan, `${name} has moved since the run started`);
  const args = ["merge", "--ff-only", "--no-autostash", "--no-stat", "--quiet", commit];
  const merged = await user.git([...FAST_FORWARD, ...args]);
  if (merged.code === 0) return deliveredAs(delivery, commit);
  return fallBackToBranch(delivery, plan, `git cannot fast-forward ${name} (${errorLine(merged.stderr)})`);
}

export async function deliverCommit(delivery: Delivery): Promise<Delivered> {
  const plan = await planCommits(delivery);
  const { user, inPlace } = delivery;
  const operation = operationInProgress(user);
  if (operation) return fallBackToBranch(delivery, plan, `${operation} is in progress in ${user.top}`);
  const at = await user.commit("HEAD");
  if (!at) return fallBackToBranch(delivery, plan, `${user.top} has no commit checked out`);
  return inPlace ? commitInPlace(delivery, plan, at) : fastForward(delivery, plan, at);
}
