// Finds what to judge: which commit of which repository, and whether it has the judged files. Asks git, not the agent.

import { type GitShell, openGitShell } from "#system/git";
import { head, plain } from "#text/plain-text";
import { CannotJudge, NotPushed } from "./cannot-judge.ts";
import { type CiOptions, DEFAULTS } from "./options.ts";

export interface Subject {
  readonly repository: string;
  /** Path of the workspace inside the repository; empty at its root. */
  readonly folder: string;
  readonly commit: string;
  /** Tree of that folder in the commit; absent when not needed. */
  readonly tree?: string;
}

interface Remote {
  readonly host: string;
  readonly repository: string;
}

/** Parses `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name.git`. */
export function parseRemote(url: string): Remote | undefined {
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^@/:]+@)?([^@/:]+):(?!\/\/)(.+)$/.exec(url) ??
    [];
  const repository = /^\/?([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(path ?? "")?.[1];
  return host && repository ? { host: host.toLowerCase(), repository } : undefined;
}

async function answer(shell: GitShell, ...args: string[]): Promise<string | undefined> {
  const { code, stdout } = await shell.git(args);
  return code === 0 ? stdout.trim() : undefined;
}

// Never shows the URL, which may contain a password.
async function repositoryOf(shell: GitShell, baseUrl: string): Promise<string> {
  const url = await answer(shell, "config", "--get", "remote.origin.url");
  if (!url)
    throw new CannotJudge(
      'the workspace has no git remote "origin" to tell the repository; write "repository: owner/name"',
    );
  const remote = parseRemote(url);
  if (!remote)
    throw new CannotJudge(
      'the git remote "origin" does not look like owner/name on a server; write "repository: owner/name"',
    );
  if (baseUrl === DEFAULTS.baseUrl && !/^(ssh\.|www\.)?github\.com$/.test(remote.host))
    throw new CannotJudge(
      `the git remote "origin" is at ${head(plain(remote.host), 100)}, and ${new URL(baseUrl).host} is asked; write "repository" or "baseUrl"`,
    );
  return remote.repository;
}

async function commitOf(shell: GitShell, { commit, branch }: CiOptions): Promise<string> {
  if (commit !== undefined) return commit;
  const places = branch === undefined ? ["HEAD"] : [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  for (const place of places) {
    const found = await answer(shell, "rev-parse", "--verify", "--quiet", `${place}^{commit}`);
    if (found) return found;
  }
  throw new NotPushed(
    branch === undefined
      ? "the workspace has no commit for CI to have run on; commit and push the files"
      : `there is no branch ${branch} in the workspace's repository; make it, or correct "branch"`,
  );
}

async function treeOf(shell: GitShell, commit: string, folder: string): Promise<string> {
  const place = folder === "" ? `${commit}^{tree}` : `${commit}:${folder}`;
  const tree = await answer(shell, "rev-parse", "--verify", "--quiet", place);
  if (tree) return tree;
  throw new NotPushed(
    `commit ${commit}${folder && ` with the folder ${folder}`} is not in the workspace's repository, so nobody knows whether CI saw these files; fetch it, or set "requireCommitted: false"`,
  );
}

/** `dir` is the workspace: a clean room is not a repository. */
export async function subjectOf(dir: string, options: CiOptions): Promise<Subject> {
  const shell = openGitShell({ cwd: dir });
  try {
    const repository = options.repository ?? (await repositoryOf(shell, options.baseUrl ?? DEFAULTS.baseUrl));
    const commit = await commitOf(shell, options);
    const folder = ((await answer(shell, "rev-parse", "--show-prefix")) ?? "").replace(/\/$/, "");
    const needed = options.requireCommitted ?? DEFAULTS.requireCommitted;
    return { repository, commit, folder, ...(needed && { tree: await treeOf(shell, commit, folder) }) };
  } finally {
    shell.close();
  }
}
