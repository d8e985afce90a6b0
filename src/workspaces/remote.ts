// Runs git over the network as the user: with their credentials, without hooks or prompts, and with a stall timeout.
import { type GitAnswer, git } from "#system/git";
import { plain } from "#text/plain-text";

/** Aborts a stalled transfer; fetches and pushes nothing besides the requested refs. */
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

const ERROR_CHARS = 400;

export function remoteGit(
  args: readonly string[],
  gitDir: string | undefined,
  cwd: string,
): Promise<GitAnswer> {
  return git([...SETTINGS, ...args], { cwd, asUser: true, ...(gitDir !== undefined && { gitDir }) });
}

/** The end of git's error output, on one line. */
export function errorOf({ stderr, code }: GitAnswer): string {
  const error = plain(stderr).replace(/\s+/g, " ").trim();
  return error.slice(-ERROR_CHARS) || `git exit ${code}`;
}
