// A branch that goes to where others have it, with the user's own git.
import type { Delivered } from "#spec/workspace";
import { readTail } from "#system/files";
import { GIT_PROGRAM, NOWHERE } from "#system/git";
import { runProcess } from "#system/process";
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
        env: { ...NOWHERE, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
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
export async function push({ how }: Delivery, run: Run, branch: string): Promise<string | undefined> {
  const { remote } = how;
  const ref = `refs/heads/${branch}`;
  // Never with a plus: what is there already and is not ours stays.
  const command = [...GIT_PROGRAM, "push", "--no-verify", "--", remote, `${ref}:${ref}`];
  const pushed = await run("push", command, PUSH_MS);
  if (pushed.code === 0) return undefined;
  return `git could not push to ${remote} (${pushed.said}); the work is on the branch ${branch}: git push ${remote} ${branch}`;
}

/**
 * What an earlier attempt pushed from another machine, before it could say so, is found like one that was made here. That there is
 * none is the usual case.
 */
export async function fetchEarlier({ how, run: id, isClone }: Delivery, run: Run): Promise<void> {
  if (!isClone) return;
  const refs = [how.branch ?? `converge/${id}`, `converge/${id}-*`].map((name) => `refs/heads/${name}`);
  const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  for (const ref of refs)
    await run("fetch", [...GIT_PROGRAM, "fetch", ...quiet, "--", how.remote, `${ref}:${ref}`], PUSH_MS);
}

/** A clone of ours may be thrown away, so the branch is not delivered before it is where it was cloned from. */
export async function deliverPushedBranch(delivery: Delivery, signal: AbortSignal): Promise<Delivered> {
  const run = runner(delivery, signal);
  await fetchEarlier(delivery, run);
  const delivered = await deliverBranch(delivery);
  if (!delivery.isClone || delivered.branch === undefined) return delivered;
  const unpushed = await push(delivery, run, delivered.branch);
  return unpushed === undefined ? delivered : { ...delivered, problem: unpushed };
}
