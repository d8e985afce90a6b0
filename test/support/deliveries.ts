// Prepares a delivery: a user's repository, the base tree and the judged tree of a run.
import fs from "node:fs";
import path from "node:path";
import type { Deliver } from "#spec/task";
import type { Delivered, DeliveryRequest } from "#spec/workspace";
import { inPlace } from "#workspaces/in-place";
import { makeWorktree } from "#workspaces/worktree";
import { uniqueRun } from "../../src/testing/unique-run.ts";
import { temporary } from "./folders.ts";
import { type Git, gitIn, repository } from "./repository.ts";

export interface Bench {
  readonly root: string;
  /** The user's working directory. */
  readonly dir: string;
  readonly git: Git;
  readonly run: string;
}

type Files = Readonly<Record<string, string>>;

export function bench(files: Files): Bench {
  const root = temporary();
  const dir = path.join(root, "project");
  return { root, dir, git: repository(dir, files), run: uniqueRun() };
}

export interface Work {
  readonly base: string;
  readonly tree: string;
  /** The agent's workspace. */
  readonly dir: string;
  deliver(how: Partial<Deliver> & Pick<Deliver, "type">, more?: Partial<DeliveryRequest>): Promise<Delivered>;
}

interface Options {
  /** Path of the workspace, relative to the user's folder. */
  readonly below?: string;
  readonly worktree?: boolean;
}

/** Works like a run: takes a snapshot, lets the agent edit, takes another snapshot. */
export async function worked(
  { root, dir, run }: Bench,
  agent: (dir: string) => void,
  { below = "", worktree = false }: Options = {},
): Promise<Work> {
  const folder = path.join(dir, below);
  const at = worktree ? await makeWorktree(folder, path.join(root, "state", "worktree")) : folder;
  const workspace = await inPlace({
    dir: at,
    shadowDir: path.join(root, "state", "shadow.git"),
    exclude: [],
  });
  const isRepository = fs.existsSync(path.join(dir, ".git"));
  const head = isRepository ? gitIn(at)("rev-parse", "HEAD").trim() : undefined;
  const { tree: base } = await workspace.snapshot();
  agent(at);
  const { tree } = await workspace.snapshot();
  const request = {
    ...{
      run,
      base,
      tree,
      repository: folder,
      message: "Fix the thing",
      body: "all gates passed\n\n- tests: passed",
    },
    ...(head && { head }),
    files: path.join(root, "state", "files"),
  };
  const deliver: Work["deliver"] = (how, more = {}) =>
    workspace.deliver(
      { ...request, how: { remote: "origin", whenRed: false, ...how }, ...more },
      new AbortController().signal,
    );
  return { base, tree, dir: at, deliver };
}

/** The git state that must stay unchanged when a delivery must not touch the user's folder. */
export function standing(dir: string): Record<string, string> {
  const git = gitIn(dir);
  return {
    head: git("rev-parse", "HEAD"),
    branch: git("rev-parse", "--abbrev-ref", "HEAD"),
    status: git("status", "--porcelain=v2", "--untracked-files=all"),
    staged: git("ls-files", "--stage"),
    main: git("rev-parse", "main"),
    stash: git("stash", "list"),
    config: fs.readFileSync(path.join(dir, ".git/config"), "utf8"),
  };
}
