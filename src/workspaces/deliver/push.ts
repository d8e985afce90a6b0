// A branch that goes to where others have it, with the user's own git.
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
  /** The end of what it complained about, on one line. */
  readonly said: string;
}

export type Run = (name: string, command: readonly string[], timeoutMs: number) => Promise<Ran>;

/** Programs of the user's, with their settings and credentials, in their folder; logs stay with the run. */
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

/** Undefined when it is there; otherwise what stood in the way. */
async function push({ how }: Delivery, run: Run, branch: string): Promise<string | undefined> {
  const { remote } = how;
  const ref = `refs/heads/${branch}`;
  // Never with a plus: what is there already and is not ours stays.
  const command = [...GIT_PROGRAM, "push", "--no-verify", "--", remote, `${ref}:${ref}`];
  const pushed = await run("push", command, PUSH_MS);
  if (pushed.code === 0) return undefined;
  return `git could not push to ${remote} (${pushed.said}); the work is on the branch ${branch}: git push ${remote} ${branch}`;
}

/**
 * What an earlier attempt pushed from another machine, before it could say so, is found like one that was made here, and
 * comes before it. That there is none is the usual case.
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

/** The branch with the work, here and, if it is to go there, on the remote. */
export async function pushBranch(
  delivery: Delivery,
  run: Run,
  isToGo: (kept: Delivered) => boolean,
): Promise<Delivered> {
  const first = await keepAndPush(delivery, run, isToGo);
  // An attempt that was cut off may have been at it until this very moment: its branch is found the second time.
  return delivery.isClone && first.problem !== undefined ? keepAndPush(delivery, run, isToGo) : first;
}

/** A clone of ours may be thrown away, so the branch is not delivered before it is where it was cloned from. */
export function deliverPushedBranch(delivery: Delivery, signal: AbortSignal): Promise<Delivered> {
  return pushBranch(delivery, runner(delivery, signal), () => delivery.isClone === true);
}
