// Finds what to judge: which commit of which repository, and whether it has the judged files. Asks git, not the agent.

import type { Run } from "#spec/run";
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

async function askGit(shell: GitShell, ...args: string[]): Promise<string | undefined> {
  const { code, stdout } = await shell.git(args);
  return code === 0 ? stdout.trim() : undefined;
}

// Never shows the URL, which may contain a password.
async function repositoryOf(shell: GitShell, baseUrl: string): Promise<string> {
  const url = await askGit(shell, "config", "--get", "remote.origin.url");
  if (!url) throw new CannotJudge('the workspace has no git remote "origin"; set "repository: owner/name"');
  const remote = parseRemote(url);
  if (!remote)
    throw new CannotJudge(
      'the git remote "origin" does not name owner/name on a server; set "repository: owner/name"',
    );
  if (baseUrl === DEFAULTS.baseUrl && !/^(ssh\.|www\.)?github\.com$/.test(remote.host))
    throw new CannotJudge(
      `the git remote "origin" is on ${head(plain(remote.host), 100)}, but the API is ${new URL(baseUrl).host}; set "repository" or "baseUrl"`,
    );
  return remote.repository;
}

async function commitOf(shell: GitShell, { commit, branch }: CiOptions): Promise<string> {
  if (commit !== undefined) return commit;
  const refs = branch === undefined ? ["HEAD"] : [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  for (const ref of refs) {
    const commitId = await askGit(shell, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`);
    if (commitId) return commitId;
  }
  throw new NotPushed(
    branch === undefined
      ? "the workspace has no commit that CI could run on; commit and push the files"
      : `there is no branch ${branch} in the workspace's repository; create it, or correct "branch"`,
  );
}

async function treeOf(shell: GitShell, commit: string, folder: string): Promise<string> {
  const object = folder === "" ? `${commit}^{tree}` : `${commit}:${folder}`;
  const tree = await askGit(shell, "rev-parse", "--verify", "--quiet", object);
  if (tree) return tree;
  throw new NotPushed(
    `commit ${commit}${folder && ` with the folder ${folder}`} is not in the workspace's repository, so it is unknown whether CI saw these files; fetch it, or set "requireCommitted: false"`,
  );
}

/** `dir` is the workspace: a clean room is not a repository. */
export async function subjectOf(dir: string, options: CiOptions): Promise<Subject> {
  const shell = openGitShell({ cwd: dir });
  try {
    const repository = options.repository ?? (await repositoryOf(shell, options.baseUrl ?? DEFAULTS.baseUrl));
    const commit = await commitOf(shell, options);
    const folder = ((await askGit(shell, "rev-parse", "--show-prefix")) ?? "").replace(/\/$/, "");
    const needed = options.requireCommitted ?? DEFAULTS.requireCommitted;
    return { repository, commit, folder, ...(needed && { tree: await treeOf(shell, commit, folder) }) };
  } finally {
    shell.close();
  }
}

const COMMIT = ", commit ";

function describePlace({ repository, folder }: Subject): string {
  return `GitHub Actions of ${repository}${folder && `, folder ${folder}`}`;
}

/** The repository, folder and commit, as recorded in the verdict's evidence. */
export function describeSubject(subject: Subject): string {
  return `${describePlace(subject)}${COMMIT}${subject.commit}`;
}

/**
 * Throws unless the subject is in the same folder and repository as in the gate's first verdict of the run: an
 * agent must not choose its own judge by changing `origin` or moving the repository.
 */
export function checkSamePlace(run: Run, gate: string, subject: Subject): void {
  const [first] = [run.baseline, ...run.iterations]
    .flatMap(({ verdicts }) => verdicts)
    .flatMap((judged) => (judged.gate === gate ? (judged.verdict.evidence.command ?? []) : []));
  const before = first?.slice(0, first.lastIndexOf(COMMIT));
  if (before === undefined || before === describePlace(subject)) return;
  throw new CannotJudge(
    `the run started with ${before}, but the workspace now has ${describePlace(subject)}; restore the repository, or start a new run`,
  );
}
