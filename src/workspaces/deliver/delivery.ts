// The context of one delivery: the request, the judged files, the repositories, and the text of its commits.
import fs from "node:fs";
import path from "node:path";
import type { DeliveryRequest, Snapshot } from "#spec/workspace";
import { privateDir, writePrivate } from "#system/files";
import { type GitAnswer, must, openGitShell } from "#system/git";
import { secrets } from "#system/secrets/secrets";
import { head, plain } from "#text/plain-text";
import { findRepository, type Listing, openRepository, parseListing, type Repository } from "./repository.ts";

export interface DeliveryPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The workspace. */
  readonly dir: string;
  snapshot(): Promise<Snapshot>;
}

/** The judged files, in the shadow. */
interface JudgedFiles {
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
  readonly judged: JudgedFiles;
  /** The user's repository. */
  readonly user: Repository;
  /** The workspace's repository; differs from `user` only in a worktree. */
  readonly work: Repository;
}

/** Path of a temporary file of the delivery. */
export const scratchFile = ({ files }: DeliveryRequest, name: string): string => path.join(files, name);

/** Writes a temporary file for a program to read and returns its path. */
export function writeScratch(request: DeliveryRequest, name: string, text: string): string {
  const file = scratchFile(request, name);
  writePrivate(file, text);
  return file;
}

/** Writes paths as a list for git's `-z --stdin`. */
export function writePaths(request: DeliveryRequest, name: string, paths: readonly string[]): string {
  return writeScratch(request, name, paths.map((one) => `${one}\0`).join(""));
}

async function openJudged(place: DeliveryPlace, request: DeliveryRequest): Promise<JudgedFiles> {
  // The shadow's attributes apply in any folder; the index is a temporary one.
  const shell = openGitShell({
    cwd: request.files,
    gitDir: place.gitDir,
    workTree: request.files,
    index: scratchFile(request, "judged.index"),
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
export async function withDelivery<T>(
  place: DeliveryPlace,
  request: DeliveryRequest,
  work: (delivery: Delivery) => Promise<T>,
): Promise<T> {
  const location = await findRepository(request.repository);
  if (!location) throw new Error(`there is no git repository at ${request.repository} any more`);
  const inPlace = path.resolve(place.dir) === path.resolve(request.repository);
  const own = inPlace || !fs.existsSync(place.dir) ? undefined : await findRepository(place.dir);
  privateDir(request.files);
  const user = openRepository(location);
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

const TITLE_CHARS = 200;
const BODY_CHARS = 8_000;
const ERROR_CHARS = 160;

/** Formats the text as a code block, so that it contains no heading, mention, trailer or link. */
function formatAsCode(text: string): string {
  return plain(text)
    .trim()
    .split("\n")
    .map((line) => `    ${line}`.trimEnd())
    .join("\n");
}

/** Composes the text of a commit or pull request from prompts, gates and agents: masked, sanitized and bounded. */
export function composeMessage({ how, message, body, run }: DeliveryRequest): {
  readonly title: string;
  readonly body: string;
} {
  const [first = "", ...rest] = plain(secrets.mask(how.message ?? message))
    .trim()
    .split("\n");
  const title = first.trim() || `Work of converge run ${run}`;
  const more = [rest.join("\n").trim(), formatAsCode(head(secrets.mask(body), BODY_CHARS))].filter(Boolean);
  return { title: head(title, TITLE_CHARS), body: `${head(more.join("\n\n"), 2 * BODY_CHARS)}\n` };
}

/** The beginning of a program's error output, on one line. */
export function errorLine(stderr: string): string {
  return head(
    plain(stderr)
      .trim()
      .replace(/\s*\n\s*/g, " "),
    ERROR_CHARS,
  );
}
