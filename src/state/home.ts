// The state folder: one private folder outside every workspace.
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir } from "#system/files";
import { isInside } from "#system/inside";

export interface Home {
  readonly dir: string;
  readonly database: string;
  readonly locks: string;
  /** The user's default settings. */
  readonly userConfig: string;
  /** Files of a run besides its events. */
  runDir(run: string): string;
  /** Imported runs until they are verified. */
  readonly imports: string;
  /** Logs of one part of an iteration. */
  partDir(run: string, iteration: number, part: string): string;
  /** Downloaded copies of another machine's logs. */
  copiesOf(run: string): string;
  shadowOf(workspace: string): string;
  worktreeOf(run: string): string;
  /** Mirrors of git repositories, one per URL, from which workspaces are cloned. */
  readonly mirrors: string;
  mirrorOf(url: string): string;
  /** The clean rooms of all runs. */
  readonly rooms: string;
  /** Folders filled by set-up commands, cached for the next clean room. */
  readonly cache: string;
  /** One small file per session with a loop. */
  readonly sessions: string;
  sessionFile(host: string, session: string): string;
  /** One small file per run with pending notifications. */
  readonly outbox: string;
  /** Notification addresses, which are not stored in runs. */
  readonly addresses: string;
  /** Name of the lock on a workspace. */
  lockName(workspace: string): string;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Turns any name into a safe and unique folder name. */
function folderName(part: string): string {
  const safe = part.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return safe === part ? part : `${safe}-${shortHash(part).slice(0, 8)}`;
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
    // The id of an imported run may be any text.
    copiesOf: (run) => path.join(dir, "copies", folderName(run)),
    shadowOf: (workspace) => path.join(dir, "shadows", `${shortHash(workspace)}.git`),
    worktreeOf: (run) => path.join(dir, "worktrees", run),
    mirrors: path.join(dir, "mirrors"),
    mirrorOf: (url) => path.join(dir, "mirrors", `${shortHash(url)}.git`),
    rooms: path.join(dir, "rooms"),
    cache: path.join(dir, "cache"),
    sessions: path.join(dir, "sessions"),
    sessionFile: (host, session) =>
      path.join(dir, "sessions", `${shortHash(JSON.stringify([host, session]))}.json`),
    outbox: path.join(dir, "outbox"),
    addresses: path.join(dir, "addresses"),
    lockName: shortHash,
  };
}

/** Creates the private state folder; refuses one inside the workspace, where the agent could edit it. */
export function prepareHome(home: Home, workspace: string): void {
  privateDir(home.dir);
  const real = fs.realpathSync(home.dir);
  if (isInside(workspace, real))
    throw new UsageError(
      `the state folder ${real} lies inside the workspace ${workspace}, where the agent could change it; set CONVERGE_HOME to a folder outside, or work in a smaller folder`,
    );
}
