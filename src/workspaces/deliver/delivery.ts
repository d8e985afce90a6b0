// Everything that one delivery works with: the request, the judged files, and the repository they go to.
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

/** The judged files, in Converge's own repository. */
export interface Judged {
  script(text: string, args: readonly string[]): Promise<GitAnswer>;
  readonly base: Listing;
  readonly tree: Listing;
  /** The files as they are; undefined when the workspace is gone. */
  readonly now?: Listing;
  close(): void;
}

export interface Delivery extends DeliveryRequest {
  /** The workspace. */
  readonly dir: string;
  /** The workspace is the user's own folder. */
  readonly inPlace: boolean;
  readonly judged: Judged;
  /** The user's. */
  readonly user: Repository;
  /** The one that the workspace lies in: another one only in a worktree. */
  readonly work: Repository;
}

/** Folder for what is needed only meanwhile. */
export const scratch = ({ files }: DeliveryRequest, name: string): string => path.join(files, name);

async function openJudged(place: DeliveryPlace, request: DeliveryRequest): Promise<Judged> {
  // The shadow's rules for bytes hold in whichever folder; the index is ours alone.
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

/** Opens what a commit needs, and closes it again. */
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
