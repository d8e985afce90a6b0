// Delivers a pull request: pushes the branch with the user's own git and opens the pull request with `gh` if installed.

import type { Delivered } from "#spec/workspace";
import { plain } from "#text/plain-text";
import type { Delivery } from "./delivery.ts";
import { messageFile, wordsFor } from "./message.ts";
import { pushBranch, type Ran, type Run, runner } from "./push.ts";

const GH_MS = 2 * 60_000;
const NOT_FOUND = 127;

/** Accepts only a plain URL: it is printed, and people click it. */
function addressIn(text: string): string | undefined {
  return plain(text)
    .split(/\s+/)
    .findLast((word) => /^https?:\/\/[^\s"'<>]+$/.test(word));
}

/** Looks up an existing pull request of the branch. */
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
  const run = runner(delivery, signal);
  const isToGo = ({ commit, problem }: Delivered) =>
    commit !== delivery.head && (delivery.isClone === true || problem === undefined);
  const kept = await pushBranch(delivery, run, isToGo);
  const { branch, commit, problem } = kept;
  if (problem !== undefined || !branch || !commit) return kept;
  if (commit === delivery.head)
    return { ...kept, problem: "the run changed nothing: there is nothing to propose" };
  return { ...kept, ...(await open(delivery, run, branch)) };
}
