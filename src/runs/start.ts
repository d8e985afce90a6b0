// Starts a run from a task: everything is validated before the first event is written.
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { builtIns } from "#catalog/built-ins";
import { taskHash } from "#config/assemble-task";
import type { ReadTask } from "#config/read-task";
import { roomPins } from "#gates/clean-room/pins";
import { workspacesOf } from "#gates/clean-room/rooms";
import { withWeights } from "#observers/lessons";
import { saveAddresses } from "#observers/notify/addresses";
import { parentOf } from "#observers/telemetry/settings";
import { shownIsolation } from "#spec/agent";
import { UsageError } from "#spec/errors";
import type { Task } from "#spec/task";
import { acquireWorkspace, type Hold } from "#state/acquire-run";
import type { Context } from "#state/context";
import { prepareHome } from "#state/home";
import { describeFullestDisk, hasNoSpace } from "#system/disk";
import { removeAll } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { VERSION } from "#system/version";
import { which } from "#system/which";
import { refuseDelivery } from "#workspaces/deliver/refuse";
import { findOwnFiles } from "#workspaces/own-files";
import { headOf, uncommittedFiles } from "#workspaces/user-repository";
import { makeWorktree } from "#workspaces/worktree";
import { isPlaceable, placeWorkspace } from "./placement/place-workspace.ts";
import { recordStart } from "./recording/record.ts";
import { resolveIsolation } from "./resolve-isolation.ts";
import { taskFilePins } from "./task-files.ts";

const LETTERS = "abcdefghjkmnpqrstvwxyz";
const ALPHABET = `${LETTERS}23456789`;

/** Random run id: eight characters that are easy to read aloud and to type; the first is a letter. */
export function newId(): string {
  const pick = (from: string) => from[randomInt(from.length)];
  return pick(LETTERS) + Array.from({ length: 7 }, () => pick(ALPHABET)).join("");
}

export function realFolder(dir: string): string {
  const stat = fs.statSync(dir, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) throw new UsageError(`the workspace ${dir} is not a folder`);
  return fs.realpathSync(dir);
}

/** The folder, or its nearest existing ancestor. */
function nearestExisting(dir: string): string {
  return fs.existsSync(dir) || path.dirname(dir) === dir ? dir : nearestExisting(path.dirname(dir));
}

/** Throws a UsageError when git or free disk space is missing. */
function checkMachine(dirs: readonly string[]): void {
  if (which("git", process.env.PATH ?? "") === undefined)
    throw new UsageError(
      "git: command not found. Converge keeps the snapshots of the workspace with it; install git and run again",
    );
  const full = dirs.map(nearestExisting).filter(hasNoSpace);
  if (full.length > 0) throw new UsageError(`${describeFullestDisk(full)}; free some space and run again`);
}

/** Adds to the strategy's options what must not change during the run: the hash of its module, learned weights. */
async function freezeStrategy(app: Context, task: Task): Promise<Task> {
  const { strategy } = task;
  const { pin, learnsFrom } = builtIns().strategies.traits(strategy.type);
  const pinned = pin ? { ...task, strategy: await pin(strategy) } : task;
  return withWeights(app, pinned, learnsFrom?.(strategy));
}

/** The task's folder; for a placeable task, a workspace created here. */
async function userDir(app: Context, task: Task, id: string): Promise<string> {
  if (!isPlaceable(task)) return realFolder(task.workspace.dir);
  const dir = app.home.worktreeOf(id);
  await placeWorkspace(app, { id, task, host: os.hostname() }, dir);
  return fs.realpathSync(dir);
}

/** The folder that the agent works in; `worktree` is where a worktree would be. */
async function workDir({ workspace }: Task, worktree: string, warn: (text: string) => void): Promise<string> {
  const { dir, type } = workspace;
  if (type !== "worktree") return dir;
  const inside = await makeWorktree(dir, worktree);
  const left = await uncommittedFiles(dir);
  if (left.length > 0)
    warn(
      `${left.length} uncommitted change${left.length === 1 ? " is" : "s are"} not in the worktree, which starts from HEAD: ${left.slice(0, 5).join(", ")}`,
    );
  return fs.realpathSync(inside);
}

/** The real path, because tools look for settings in the real parent folders. */
function realRooms({ home }: Context): string {
  return path.join(fs.realpathSync(home.dir), path.relative(home.dir, home.rooms));
}

/** Prose fields, in which secrets can be masked; the other fields are executed literally. */
const TEXTS: readonly (keyof Task)[] = ["prompt", "vars", "template", "promise"];

/** Masks secrets for storage. Refuses a secret in a command: masked, the command would no longer work. */
function withoutSecrets(task: Task): Task {
  const shown = secrets.redact(task);
  const changed = (Object.keys(task) as (keyof Task)[]).filter((key) => shown[key] !== task[key]);
  const key = changed.find((each) => !TEXTS.includes(each));
  if (key === undefined) return shown;
  const [mark, name] = /‹secret ([^›]+)›/.exec(JSON.stringify(shown[key])) ?? ["a secret"];
  throw new UsageError(
    `${key} has the value of ${name ?? mark} in it, which would be kept with the run; write ${name ? `$${name}` : "the name of its variable"} where a shell reads it, or let the program take it from its environment`,
  );
}

/** The task as stored with a run: with learned weights, and without secrets. */
export async function finalizeTask(app: Context, task: Task, warn: (text: string) => void): Promise<Task> {
  secrets.learn(task.secrets).forEach(warn);
  return withoutSecrets(await freezeStrategy(app, task));
}

/** Body of the first event of every run. */
export function startEvent(task: Task, dir: string, head: string | undefined) {
  const traceparent = parentOf(task, process.env);
  return {
    type: "run.started" as const,
    task,
    taskHash: taskHash(task),
    dir,
    host: os.hostname(),
    version: VERSION,
    ...(head && { head }),
    ...(traceparent && { traceparent }),
  };
}

export interface Started {
  readonly id: string;
  /** Locked before the run is written, so that a refused start leaves no run. */
  readonly hold: Hold;
}

/** A task, and the id of its run if it has one already. */
type Startable = Pick<ReadTask, "task" | "sources" | "addresses"> &
  Partial<Pick<ReadTask, "taskIn">> & { readonly id?: string };

/** The task, resolved to a folder on this machine. */
async function taskHere(app: Context, { task, taskIn }: Startable, id: string): Promise<Task> {
  const dir = await userDir(app, task, id);
  const resolved = isPlaceable(task) && taskIn ? await taskIn(dir) : task;
  return { ...resolved, workspace: { ...task.workspace, dir } };
}

/** Locks the workspace and writes the run's first event; nothing is running yet. */
export async function startRun(
  app: Context,
  read: Startable,
  warn: (text: string) => void,
): Promise<Started> {
  const id = read.id ?? newId();
  try {
    return await begin(app, { ...read, id }, warn);
  } catch (error) {
    if (isPlaceable(read.task)) removeAll(app.home.worktreeOf(id));
    throw error;
  }
}

async function begin(
  app: Context,
  read: Startable & { readonly id: string },
  warn: (text: string) => void,
): Promise<Started> {
  const { id } = read;
  checkMachine([app.home.dir, read.task.workspace.dir]);
  const isolation = shownIsolation(resolveIsolation(read.task.isolation, app.home));
  const given = await taskHere(app, read, id);
  const { workspace } = given;
  if (given.deliver) await refuseDelivery(given.deliver, workspace.dir);
  prepareHome(app.home, workspace.dir);
  const task = await finalizeTask(app, given, warn);
  saveAddresses(app.home, read.addresses);
  const dir = await workDir(task, app.home.worktreeOf(id), warn);
  const own = await findOwnFiles(dir, read.sources);
  const body = {
    ...startEvent(task, dir, await headOf(dir)),
    isolation,
    ...(own.length > 0 && { own }),
    pins: {
      ...taskFilePins(read.sources),
      ...roomPins(task, { workspaces: workspacesOf({ dir, task }), rooms: realRooms(app) }),
    },
  };
  const hold = await acquireWorkspace(app, { id, dir }, warn);
  try {
    await recordStart(app, id, body);
    return { id, hold };
  } catch (error) {
    await hold.release();
    throw error;
  }
}
