// The context of one delivery: the request, the judged files, and the target repository.
import fs from "node:fs";
import path from "node:path";
import type { DeliveryRequest, Snapshot } from "#spec/workspace";
import { privateDir } from "#system/files";
import { type GitAnswer, must, openGitShell } from "#system/git";
import { type Listing, parseListing } from "./listing.ts";
import { findRepository, openRepository, type Repository } from "./repository.ts";

export interface DeliveryPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The workspace. */
  readonly dir: string;
  snapshot(): Promise<Snapshot>;
}

/** The judged files, in the shadow. */
export interface Judged {
  script(text: string, args: readonly string[]): Promise<GitAnswer>;
  readonly base: Listing;
  readonly tree: Listing;
  /** The current files; undefined when the workspace no longer exists. */
  readonly now?: Listing;
  close(): void;
}

export interface Delivery extends DeliveryRequest {
  /** The workspace. */
  readonly dir: string;
  /** Whether the workspace is the user's own folder. */
  readonly inPlace: boolean;
  readonly judged: Judged;
  /** The user's repository. */
  readonly user: Repository;
  /** The workspace's repository; differs from `user` only in a worktree. */
  readonly work: Repository;
}

/** Path of a temporary file of the delivery. */
export const scratch = ({ files }: DeliveryRequest, name: string): string => path.join(files, name);

async function openJudged(place: DeliveryPlace, request: DeliveryRequest): Promise<Judged> {
  // The shadow's attributes apply in any folder; the index is a temporary one.
  const shell = openGitShell({
    cwd: request.files,
    gitDir: place.gitDir,
    workTree: request.files,
    index: scratch(request, "judged.index"),
  });
  const list = async (tree: string) =>
    parseListing(must(await shell.git(["ls-tree", "-r", "-z", "--full-tree", tree]), "listing the snapshot"));
  const now = fs.existsSync(place.dir) ? await list((await place.snapshot()).tree) : undefined;
  return {
    script: shell.script,
    base: await list(request.base),
    tree: await list(request.tree),
    ...(now && { now }),
    close: shell.close,
  };
}

/** Opens the repositories and the judged files for the work, and closes them afterwards. */
export async function withRepository<T>(
  place: DeliveryPlace,
  request: DeliveryRequest,
  work: (delivery: Delivery) => Promise<T>,
): Promise<T> {
  const found = await findRepository(request.repository);
  if (!found) throw new Error(`there is no git repository at ${request.repository} any more`);
  const inPlace = path.resolve(place.dir) === path.resolve(request.repository);
  const own = inPlace || !fs.existsSync(place.dir) ? undefined : await findRepository(place.dir);
  privateDir(request.files);
  const user = openRepository(found);
  const workspace = own ? openRepository(own) : user;
  try {
    const judged = await openJudged(place, request);
    try {
      return await work({ ...request, dir: place.dir, inPlace, judged, user, work: workspace });
    } finally {
      judged.close();
    }
  } finally {
    workspace.close();
    user.close();
  }
}
