// Delivers the work as a new branch and pushes it with the user's own git. Never changes the checkout, and never moves
// or forces an existing branch.
import type { Delivered } from "#spec/workspace";
import { readTail } from "#system/files";
import { GIT_PROGRAM, UNSET_REPOSITORY } from "#system/git";
import { runProcess } from "#system/processes/process";
import { type Delivery, errorLine, scratchFile } from "./delivery.ts";
import { type CommitPlan, planCommits, writeCommits } from "./plan-commits.ts";

const MAX_NAMES = 9;
const NO_COMMIT = "0".repeat(40);

/** Branch names in the order they are tried; the last is for a repository with a branch called "converge". */
function ownNames(run: string): string[] {
  const later = Array.from({ length: MAX_NAMES - 1 }, (_, index) => `converge/${run}-${index + 2}`);
  return [`converge/${run}`, ...later, `converge-${run}`];
}

interface Branch {
  readonly branch: string;
  readonly commit: string;
}

/** Looks up the branch. One with exactly this tree comes from an earlier attempt that was interrupted. */
async function findEarlier(
  { user }: Delivery,
  branch: string,
  { tree }: CommitPlan,
): Promise<Branch | "other" | undefined> {
  const commit = await user.commit(`refs/heads/${branch}`);
  if (commit === undefined) return undefined;
  return (await user.treeOf(commit)) === tree ? { branch, commit } : "other";
}

/** Creates the branch under the first free name, or reuses the branch of an earlier attempt. */
async function createUnder(
  delivery: Delivery,
  plan: CommitPlan,
  names: readonly string[],
): Promise<Branch | undefined> {
  const { user, run } = delivery;
  let commit: string | undefined;
  for (const branch of names) {
    const earlier = await findEarlier(delivery, branch, plan);
    if (earlier === "other") continue;
    if (earlier) return earlier;
    commit ??= await writeCommits(delivery, plan);
    const args = ["update-ref", "-m", `converge: run ${run}`, `refs/heads/${branch}`, commit, NO_COMMIT];
    if ((await user.git(args)).code === 0) return { branch, commit };
  }
  return undefined;
}

/** Puts the work on a branch named after the run. */
export async function createOwnBranch(delivery: Delivery, plan: CommitPlan): Promise<Branch> {
  const names = ownNames(delivery.run);
  const created = await createUnder(delivery, plan, names);
  if (!created) throw new Error(`git cannot create any of the branches ${names[0]} to ${names.at(-1)}`);
  return created;
}

async function createBranch(delivery: Delivery): Promise<Delivered> {
  const plan = await planCommits(delivery);
  const { type, branch: name } = delivery.how;
  const { tree } = delivery;
  if (name === undefined) return { type, tree, ...(await createOwnBranch(delivery, plan)) };
  const exact = await createUnder(delivery, plan, [name]);
  if (exact) return { type, tree, ...exact };
  const own = await createOwnBranch(delivery, plan);
  const problem = `cannot create the branch ${name} without moving or replacing another one; the work is on the branch ${own.branch}. Rename one of them`;
  return { type, tree, ...own, problem };
}

const PUSH_MS = 5 * 60_000;
const OUTPUT_BYTES = 4_096;

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of its error output, on one line. */
  readonly error: string;
}

export type RunProgram = (
  name: string,
  command: readonly string[],
  timeoutMs: number,
) => Promise<ProgramResult>;

/** Runs the user's programs in their folder, with their settings and credentials; logs stay with the run. */
export function programRunner(delivery: Delivery, signal: AbortSignal): RunProgram {
  return async (name, command, timeoutMs) => {
    const [stdout, stderr] = [scratchFile(delivery, `${name}.out`), scratchFile(delivery, `${name}.err`)];
    const end = await runProcess(
      {
        ...{ command, cwd: delivery.user.top, run: delivery.run, stdout, stderr, timeoutMs },
        env: { ...UNSET_REPOSITORY, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
      },
      signal,
    );
    const errors = readTail(stderr, OUTPUT_BYTES, end.stderrFrom) || (end.error ?? "");
    const cause = end.cause === "exited" ? `exit ${end.exitCode}` : end.cause;
    return {
      code: end.cause === "exited" ? end.exitCode : null,
      stdout: readTail(stdout, OUTPUT_BYTES, end.stdoutFrom),
      error: errorLine(errors) || cause,
    };
  };
}

/** Returns the problem, or undefined on success. */
async function push({ how }: Delivery, run: RunProgram, branch: string): Promise<string | undefined> {
  const { remote } = how;
  const ref = `refs/heads/${branch}`;
  // Without a plus, so never forced: a remote branch that is not ours stays.
  const command = [...GIT_PROGRAM, "push", "--no-verify", "--", remote, `${ref}:${ref}`];
  const pushed = await run("push", command, PUSH_MS);
  if (pushed.code === 0) return undefined;
  return `git cannot push to ${remote} (${pushed.error}); the work is on the branch ${branch}. Push it with: git push ${remote} ${branch}`;
}

/**
 * Fetches branches that an interrupted attempt pushed from another machine: they replace local ones of the same name
 * and count as the delivery. Usually there are none, so a failed fetch is ignored.
 */
async function fetchEarlier({ how, run: id }: Delivery, run: RunProgram): Promise<void> {
  const refs = [how.branch ?? `converge/${id}`, `converge/${id}-*`].map((name) => `refs/heads/${name}`);
  const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  for (const ref of refs)
    await run("fetch", [...GIT_PROGRAM, "fetch", ...quiet, "--", how.remote, `+${ref}:${ref}`], PUSH_MS);
}

type CanPush = (created: Delivered) => boolean;

async function createAndPush(delivery: Delivery, run: RunProgram, canPush: CanPush): Promise<Delivered> {
  if (delivery.isClone) await fetchEarlier(delivery, run);
  const created = await createBranch(delivery);
  if (created.branch === undefined || !canPush(created)) return created;
  const problem = await push(delivery, run, created.branch);
  return problem === undefined ? created : { ...created, problem };
}

/** Creates the branch with the work and pushes it when `canPush` allows. */
export async function pushBranch(delivery: Delivery, run: RunProgram, canPush: CanPush): Promise<Delivered> {
  const first = await createAndPush(delivery, run, canPush);
  // Retry once: an interrupted attempt may have pushed concurrently, and the second try finds its branch.
  return delivery.isClone && first.problem !== undefined ? createAndPush(delivery, run, canPush) : first;
}

/** Pushes the branch of a clone: Converge may delete its clone, so the branch must be on the remote to be delivered. */
export function deliverBranch(delivery: Delivery, signal: AbortSignal): Promise<Delivered> {
  return pushBranch(delivery, programRunner(delivery, signal), () => delivery.isClone === true);
}
