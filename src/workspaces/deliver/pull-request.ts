// Delivers a pull request: pushes the branch with the user's own git and opens the pull request with `gh` if installed.
import type { Delivered } from "#spec/workspace";
import { plain } from "#text/plain-text";
import { type ProgramResult, programRunner, pushBranch, type RunProgram } from "./branch.ts";
import { composeMessage, type Delivery, writeScratch } from "./delivery.ts";

const GH_MS = 2 * 60_000;
const NOT_FOUND = 127;

/** Finds the last URL in the text. Accepts only a plain one: it is printed, and people click it. */
function findUrl(text: string): string | undefined {
  return plain(text)
    .split(/\s+/)
    .findLast((word) => /^https?:\/\/[^\s"'<>]+$/.test(word));
}

/** Looks up an existing pull request of the branch. */
async function findExisting(
  run: RunProgram,
  branch: string,
): Promise<{ url?: string; isGhMissing: boolean }> {
  const fields = "url,state,headRefName";
  const { code, stdout } = await run("gh-view", ["gh", "pr", "view", branch, "--json", fields], GH_MS);
  if (code !== 0) return { isGhMissing: code === NOT_FOUND };
  try {
    const { url, state, headRefName } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    const isSame = headRefName === branch && state !== "CLOSED" && typeof url === "string";
    const existing = isSame ? findUrl(url) : undefined;
    return { isGhMissing: false, ...(existing && { url: existing }) };
  } catch {
    return { isGhMissing: false };
  }
}

async function create(delivery: Delivery, run: RunProgram, branch: string): Promise<ProgramResult> {
  const { title, body } = composeMessage(delivery);
  const { base } = delivery.how;
  const file = writeScratch(delivery, "pull-request.md", body);
  const target = base === undefined ? [] : [`--base=${base}`];
  const message = [`--title=${title}`, `--body-file=${file}`];
  return run("gh-create", ["gh", "pr", "create", `--head=${branch}`, ...target, ...message], GH_MS);
}

async function open(
  delivery: Delivery,
  run: RunProgram,
  branch: string,
): Promise<{ url?: string; problem?: string }> {
  const { url, isGhMissing } = await findExisting(run, branch);
  if (url) return { url };
  const pushed = `the branch ${branch} is pushed to ${delivery.how.remote}`;
  if (isGhMissing)
    return {
      problem: `gh is not installed; ${pushed}. Open the pull request where the repository is hosted`,
    };
  const created = await create(delivery, run, branch);
  const opened = created.code === 0 ? findUrl(created.stdout) : undefined;
  if (opened) return { url: opened };
  return {
    problem: `gh cannot open a pull request (${created.error}); ${pushed}. Open it with: gh pr create --head ${branch}`,
  };
}

export async function deliverPullRequest(delivery: Delivery, signal: AbortSignal): Promise<Delivered> {
  const run = programRunner(delivery, signal);
  const canPush = ({ commit, problem }: Delivered) =>
    commit !== delivery.head && (delivery.isClone === true || problem === undefined);
  const pushed = await pushBranch(delivery, run, canPush);
  const { branch, commit, problem } = pushed;
  if (problem !== undefined || !branch || !commit) return pushed;
  if (commit === delivery.head)
    return { ...pushed, problem: "the run changed no files, so there is no pull request to open" };
  return { ...pushed, ...(await open(delivery, run, branch)) };
}
