// Delivers a branch and pushes it to the remote with the user's own git.
import type { Delivered } from "#spec/workspace";
import { readTail } from "#system/files";
import { GIT_PROGRAM, UNSET_REPOSITORY } from "#system/git";
import { runProcess } from "#system/processes/process";
import { deliverBranch } from "./branch.ts";
import { type Delivery, scratch } from "./delivery.ts";
import { said } from "./message.ts";

const PUSH_MS = 5 * 60_000;
const SAID_BYTES = 4_096;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of its error output, on one line. */
  readonly said: string;
}

export type Run = (name: string, command: readonly string[], timeoutMs: number) => Promise<Ran>;

/** Runs the user's programs in their folder, with their settings and credentials; logs stay with the run. */
export function runner(delivery: Delivery, signal: AbortSignal): Run {
  return async (name, command, timeoutMs) => {
    const [stdout, stderr] = [scratch(delivery, `${name}.out`), scratch(delivery, `${name}.err`)];
    const end = await runProcess(
      {
        ...{ command, cwd: delivery.user.top, run: delivery.run, stdout, stderr, timeoutMs },
        env: { ...UNSET_REPOSITORY, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
      },
      signal,
    );
    const words = readTail(stderr, SAID_BYTES, end.stderrFrom) || (end.error ?? "");
    const ended = end.cause === "exited" ? `exit ${end.exitCode}` : end.cause;
    return {
      code: end.cause === "exited" ? end.exitCode : null,
      stdout: readTail(stdout, SAID_BYTES, end.stdoutFrom),
      said: said(words) || ended,
    };
  };
}

/** Returns the problem, or undefined on success. */
async function push({ how }: Delivery, run: Run, branch: string): Promise<string | undefined> {
  const { remote } = how;
  const ref = `refs/heads/${branch}`;
  // Without a plus, so never forced: a remote branch that is not ours stays.
  const command = [...GIT_PROGRAM, "push", "--no-verify", "--", remote, `${ref}:${ref}`];
  const pushed = await run("push", command, PUSH_MS);
  if (pushed.code === 0) return undefined;
  return `git could not push to ${remote} (${pushed.said}); the work is on the branch ${branch}: git push ${remote} ${branch}`;
}

/**
 * Fetches branches that an interrupted attempt pushed from another machine: they replace local ones of the same name
 * and count as the delivery. Usually there are none, so a failed fetch is ignored.
 */
async function fetchEarlier({ how, run: id }: Delivery, run: Run): Promise<void> {
  const refs = [how.branch ?? `converge/${id}`, `converge/${id}-*`].map((name) => `refs/heads/${name}`);
  const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  for (const ref of refs)
    await run("fetch", [...GIT_PROGRAM, "fetch", ...quiet, "--", how.remote, `+${ref}:${ref}`], PUSH_MS);
}

async function keepAndPush(
  delivery: Delivery,
  run: Run,
  isToGo: (kept: Delivered) => boolean,
): Promise<Delivered> {
  if (delivery.isClone) await fetchEarlier(delivery, run);
  const kept = await deliverBranch(delivery);
  if (kept.branch === undefined || !isToGo(kept)) return kept;
  const unpushed = await push(delivery, run, kept.branch);
  return unpushed === undefined ? kept : { ...kept, problem: unpushed };
}

/** Creates the branch with the work and pushes it when `isToGo` allows. */
export async function pushBranch(
  delivery: Delivery,
  run: Run,
  isToGo: (kept: Delivered) => boolean,
): Promise<Delivered> {
  const first = await keepAndPush(delivery, run, isToGo);
  // Retry once: an interrupted attempt may have pushed concurrently, and the second try finds its branch.
  return delivery.isClone && first.problem !== undefined ? keepAndPush(delivery, run, isToGo) : first;
}

/** Pushes the branch of a clone: Converge may delete its clone, so the branch must be on the remote to be delivered. */
export function deliverPushedBranch(delivery: Delivery, signal: AbortSignal): Promise<Delivered> {
  return pushBranch(delivery, runner(delivery, signal), () => delivery.isClone === true);
}
