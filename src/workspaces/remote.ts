// Git over the network, as the user: with their credentials, without hooks, without questions, and not for ever.

import { type GitAnswer, git } from "#system/git";
import { plain } from "#text/plain-text";

/** A line that stands still is given up; nothing is fetched or pushed along with what was asked for. */
const SETTINGS = [
  "http.lowSpeedLimit=1",
  "http.lowSpeedTime=60",
  "push.followTags=false",
  "push.gpgSign=false",
  "push.recurseSubmodules=no",
  "fetch.recurseSubmodules=no",
  "gc.auto=0",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

const SAID_CHARS = 400;

export function remoteGit(
  args: readonly string[],
  gitDir: string | undefined,
  cwd: string,
): Promise<GitAnswer> {
  return git([...SETTINGS, ...args], { cwd, asUser: true, ...(gitDir !== undefined && { gitDir }) });
}

/** The end of what git complained about, on one line. */
export function complaint({ stderr, code }: GitAnswer): string {
  const words = plain(stderr).replace(/\s+/g, " ").trim();
  return words.slice(-SAID_CHARS) || `git exit ${code}`;
}
