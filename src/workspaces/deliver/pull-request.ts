// A pull request: the branch is pushed with the user's own git, and `gh` opens it when it is there.
import { plain } from "#spec/text";
import type { Delivered } from "#spec/workspace";
import { readTail } from "#system/files";
import { GIT_PROGRAM, NOWHERE } from "#system/git";
import { runProcess } from "#system/process";
import { deliverBranch } from "./branch.ts";
import { type Delivery, scratch } from "./delivery.ts";
import { messageFile, said, wordsFor } from "./message.ts";

const PUSH_MS = 5 * 60_000;
const GH_MS = 2 * 60_000;
const SAID_BYTES = 4_096;
const NOT_FOUND = 127;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of what it complained about, on one line. */
  readonly said: string;
}

type Run = (name: string, command: readonly string[], timeoutMs: number) => Promise<Ran>;

/** Programs of the user's, with their settings and credentials, in their folder; logs stay with the run. */
function runner(delivery: Delivery, signal: AbortSignal): Run {
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

/** An address and nothing else: it is printed, and people click it. */
function addressIn(text: string): string | undefined {
  return plain(text)
    .split(/\s+/)
    .findLast((word) => /^https?:\/\/[^\s"'<>]+$/.test(word));
}

/** The pull request that this branch has already. */
async function existing(run: Run, branch: string): Promise<{ url?: string; missing: boolean }> {
  const fields = "url,state,headRefName";
  const { code, stdout } = await run("gh-view", ["gh", "pr", "view", branch, "--json", fields], GH_MS);
  if (code !== 0) return { missing: code === NOT_FOUND };
  try {
    const { url, state, headRefName } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    const same = headRefName === branch && state !== "CLOSED" && typeof url === "string";
    const address = same ? addressIn(url) : undefined;
    return { missing: false, ...(address && { url: address }) };
  } catch {
    return { missing: false };
  }
}

async function create(delivery: Delivery, run: Run, branch: string): Promise<Ran> {
  const { title, body } = wordsFor(delivery);
  const { base } = delivery.how;
  const file = messageFile(delivery, "pull-request.md", body);
  const target = base === undefined ? [] : [`--base=${base}`];
  const words = [`--title=${title}`, `--body-file=${file}`];
  return run("gh-create", ["gh", "pr", "create", `--head=${branch}`, ...target, ...words], GH_MS);
}

async function open(
  delivery: Delivery,
  run: Run,
  branch: string,
): Promise<{ url?: string; problem?: string }> {
  const { url, missing } = await existing(run, branch);
  if (url) return { url };
  const pushed = `the branch ${branch} is pushed to ${delivery.how.remote}`;
  if (missing)
    return {
      problem: `gh is not installed; ${pushed}: open the pull request where the repository is hosted`,
    };
  const created = await create(delivery, run, branch);
  const address = created.code === 0 ? addressIn(created.stdout) : undefined;
  if (address) return { url: address };
  return {
    problem: `gh could not open a pull request (${created.said}); ${pushed}: gh pr create --head ${branch}`,
  };
}

export async function deliverPullRequest(delivery: Delivery, signal: AbortSignal): Promise<Delivered> {
  const delivered = await deliverBranch(delivery);
  const { branch, commit, problem } = delivered;
  if (problem !== undefined || !branch || !commit) return delivered;
  if (commit === delivery.head)
    return { ...delivered, problem: "the run changed nothing: there is nothing to propose" };
  const { remote } = delivery.how;
  const run = runner(delivery, signal);
  const ref = `refs/heads/${branch}`;
  // Never with a plus: what is there already and is not ours stays.
  const push = [...GIT_PROGRAM, "push", "--no-verify", "--", remote, `${ref}:${ref}`];
  const pushed = await run("push", push, PUSH_MS);
  if (pushed.code !== 0)
    return {
      ...delivered,
      problem: `git could not push to ${remote} (${pushed.said}); the work is on the branch ${branch}: git push ${remote} ${branch}`,
    };
  return { ...delivered, ...(await open(delivery, run, branch)) };
}
