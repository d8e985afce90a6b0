// Where Converge keeps everything: one private folder outside of every workspace.
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir } from "#system/files";

export interface Home {
  readonly dir: string;
  readonly database: string;
  readonly locks: string;
  /** The user's own defaults. */
  readonly userConfig: string;
  /** All that is kept of a run besides its record. */
  runDir(run: string): string;
  /** Runs from elsewhere, until they are known to be whole. */
  readonly imports: string;
  /** Logs of one part of an iteration. */
  partDir(run: string, iteration: number, part: string): string;
  /** Logs of a run that another state folder has, as far as they were looked at here. */
  copiesOf(run: string): string;
  shadowOf(workspace: string): string;
  worktreeOf(run: string): string;
  /** Copies of repositories that workspaces are made from, one for each address. */
  readonly mirrors: string;
  mirrorOf(url: string): string;
  /** Where the clean rooms of all runs are made. */
  readonly rooms: string;
  /** Folders that set-up filled, kept for the next clean room. */
  readonly cache: string;
  /** One small file for each session that has a loop. */
  readonly sessions: string;
  sessionFile(host: string, session: string): string;
  /** One small file for each run that may have notifications to be delivered. */
  readonly outbox: string;
  /** Addresses that notifications are sent to, which runs do not keep. */
  readonly addresses: string;
  /** Name of the lock that keeps a workspace to one run. */
  lockName(workspace: string): string;
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Any name as the name of a folder: never a path, never the same for two names. */
function folderName(part: string): string {
  const safe = part.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return safe === part ? part : `${safe}-${short(part).slice(0, 8)}`;
}

export function homeFrom(env: NodeJS.ProcessEnv): Home {
  const user = os.homedir();
  const state = env.XDG_STATE_HOME || path.join(user, ".local", "state");
  const config = env.XDG_CONFIG_HOME || path.join(user, ".config");
  const dir = path.resolve(env.CONVERGE_HOME || path.join(state, "converge"));
  return {
    dir,
    database: path.join(dir, "converge.db"),
    locks: path.join(dir, "locks"),
    userConfig: path.join(config, "converge", "config.yaml"),
    runDir: (run) => path.join(dir, "runs", run),
    imports: path.join(dir, "imports"),
    partDir: (run, iteration, part) => path.join(dir, "runs", run, String(iteration), folderName(part)),
    // The id of a run from elsewhere could be any text.
    copiesOf: (run) => path.join(dir, "copies", folderName(run)),
    shadowOf: (workspace) => path.join(dir, "shadows", `${short(workspace)}.git`),
    worktreeOf: (run) => path.join(dir, "worktrees", run),
    mirrors: path.join(dir, "mirrors"),
    mirrorOf: (url) => path.join(dir, "mirrors", `${short(url)}.git`),
    rooms: path.join(dir, "rooms"),
    cache: path.join(dir, "cache"),
    sessions: path.join(dir, "sessions"),
    sessionFile: (host, session) =>
      path.join(dir, "sessions", `${short(JSON.stringify([host, session]))}.json`),
    outbox: path.join(dir, "outbox"),
    addresses: path.join(dir, "addresses"),
    lockName: short,
  };
}

/** The folder itself, made private; refuses to lie in the workspace, where the agent could edit it. */
export function prepareHome(home: Home, workspace: string): void {
  privateDir(home.dir);
  const real = fs.realpathSync(home.dir);
  if (`${real}${path.sep}`.startsWith(`${workspace}${path.sep}`))
    throw new UsageError(
      `the state folder ${real} lies inside the workspace ${workspace}, where the agent could change it; set CONVERGE_HOME to a folder outside, or work in a smaller folder`,
    );
}
