// The clean rooms of a run: one at a time, shared by the gates that judge the same tree, deleted at the end.
import path from "node:path";
import type { Gate, JudgeRequest } from "#spec/gate";
import { SETUP_PART } from "#spec/ports";
import type { Run } from "#spec/run";
import type { CleanRoom } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import type { Workspace } from "#spec/workspace";
import { privateDir, removeAll } from "#system/files";
import { sweep } from "#system/sweep";
import { head, plain } from "#text/plain-text";
import { changedPin } from "./pins.ts";
import { erroredVerdict, openRoom, type Room, type RoomPlan, type TidyReport } from "./room.ts";
import { openCache } from "./room-cache.ts";
import { cleanPath, scrubEnvironment } from "./room-environment.ts";
import { setUp } from "./room-setup.ts";

/** The folders that clean rooms need, all outside every workspace. */
export interface RoomFolders {
  /** The clean rooms of all runs. */
  readonly rooms: string;
  /** The set-up cache. */
  readonly cache: string;
  /** The log folder of one part of an iteration. */
  partDir(run: string, iteration: number, part: string): string;
}

export interface Rooms {
  enter(judging: Judging): Promise<Room>;
  /** Call after a gate has judged in the room. */
  leave(room: Room): Promise<TidyReport>;
  close(): void;
}

/** A gate's request, and the signal that cancels it. */
interface Judging {
  readonly request: JudgeRequest;
  readonly signal: AbortSignal;
}

interface RoomSource {
  readonly folders: RoomFolders;
  readonly workspace: Workspace;
  /** Parent folder of the run's rooms. */
  readonly within: string;
}

const NO_SETUP: CleanRoom = { setup: [], setupMs: 1, cache: [], env: [] };

/** Folders that an agent or the user works in. */
export function workspacesOf(run: Pick<Run, "dir" | "task">): readonly string[] {
  return [...new Set([run.dir, run.task.workspace.dir])];
}

/** Files that a room always has as sealed at the start; undefined when changes are allowed. */
function sealOf({ seal, task: { protect } }: Run) {
  return seal && protect && protect.action !== "allow" ? { seal, paths: protect.paths } : undefined;
}

function planRoom(
  { folders, workspace, within }: RoomSource,
  { request: { run, tree, iteration }, signal }: Judging,
  cleanRoom: CleanRoom,
): RoomPlan {
  const sealed = sealOf(run);
  return {
    tree,
    iteration,
    within,
    copy: async (dir) => {
      await workspace.copy(tree, dir);
      if (sealed) await workspace.mend(sealed.seal, sealed.paths, dir);
    },
    findTampered: async (dir) => {
      const tampering = sealed && (await workspace.tampering(sealed.seal, sealed.paths, dir));
      return tampering?.changes.map((change) => change.path) ?? [];
    },
    environment: (tmp) =>
      scrubEnvironment(process.env, { workspaces: workspacesOf(run), names: cleanRoom.env, tmp }),
    setUp: (room, env) =>
      setUp(
        {
          ...{ run: run.id, cleanRoom, room, env },
          cache: openCache(folders.cache, cleanRoom),
          canCache: tree === run.baseline.snapshot?.tree,
          files: privateDir(folders.partDir(run.id, iteration, SETUP_PART)),
        },
        signal,
      ),
  };
}

/**
 * Opens a room for the request. Blames the agent for a failed set-up if set-up still works on the baseline's files, so
 * that the agent is told. That check bypasses the cache, because the question is whether set-up works now.
 */
async function openRoomFor(source: RoomSource, judging: Judging, cleanRoom: CleanRoom): Promise<Room> {
  const { request, signal } = judging;
  const room = await openRoom(planRoom(source, judging, cleanRoom));
  const base = request.run.baseline.snapshot?.tree;
  if (!room.failure || base === undefined || base === request.tree || signal.aborted) return room;
  const atBaseline = { request: { ...request, tree: base }, signal };
  const control = await openRoom(planRoom(source, atBaseline, { ...cleanRoom, cache: [] }));
  return control.failure ? room : { ...room, failure: { ...room.failure, mendable: true } };
}

/** A failed set-up is retried in the next iteration, even for the same files. */
function canServe(room: Room, { tree, iteration }: JudgeRequest): boolean {
  return room.tree === tree && (room.failure === undefined || room.iteration === iteration);
}

export function openRooms(folders: RoomFolders, workspace: Workspace, run: Run): Rooms {
  const source: RoomSource = { folders, workspace, within: path.join(folders.rooms, run.id) };
  const cleanRoom = run.task.cleanRoom ?? NO_SETUP;
  let current: Room | undefined;

  const close = () => {
    current = undefined;
    try {
      removeAll(source.within);
    } catch {
      // Files of another user (from a container, say) cannot be deleted; no room is ever reused.
    }
  };

  return {
    enter: async (judging) => {
      if (current && canServe(current, judging.request)) return current;
      // Also deletes rooms of a killed process.
      close();
      const room = await openRoomFor(source, judging, cleanRoom);
      // An aborted set-up says nothing about the next attempt.
      if (!judging.signal.aborted) current = room;
      return room;
    },
    leave: async (room) => {
      const open = current;
      current = undefined;
      const report = await room.tidy();
      if (report.isSpoiled) close();
      else current = open;
      return report;
    },
    close,
  };
}

const NAMES_CHARS = 500;

/** Runs a gate in a clean room: kills the run's leftover processes, verifies its tools and copies the snapshot into it. */
export function inCleanRoom(gate: Gate, rooms: Rooms): Gate {
  return {
    name: gate.name,
    isDeterministic: gate.isDeterministic ?? false,
    judge: async (request, signal) => {
      const { run, tree } = request;
      await sweep(run.id);
      const problem = changedPin(run, cleanPath(process.env.PATH ?? "", workspacesOf(run)));
      if (problem) return { ...erroredVerdict(problem), tree };
      const room = await rooms.enter({ request, signal });
      if (room.failure) return { ...room.failure, tree };
      const verdict = await gate.judge({ ...request, dir: room.dir, env: room.env }, signal);
      // Kills processes that the gate left running, so that nothing writes during the check.
      await sweep(run.id);
      const discard = await checkRoom(rooms, room);
      return { ...(discard ? discardVerdict(verdict, discard, request) : verdict), tree };
    },
  };
}

/** Tidies the room. Returns why the verdict does not count: protected files changed, or the room is unreadable. */
async function checkRoom(rooms: Rooms, room: Room): Promise<string | undefined> {
  try {
    const { tampered } = await rooms.leave(room);
    if (tampered.length === 0) return undefined;
    return `protected files changed while the gate ran: ${head(plain(tampered.join(", ")), NAMES_CHARS)}`;
  } catch (error) {
    return `cannot read the clean room after the gate: ${(error as Error).message}`;
  }
}

/** After the baseline, the agent can fix the reason. */
function discardVerdict(verdict: Verdict, reason: string, { iteration }: JudgeRequest): Verdict {
  const { evidence, durationMs } = verdict;
  const details = `this verdict does not count: ${verdict.status}, ${verdict.summary}`;
  const discarded = erroredVerdict(reason, { details, evidence, durationMs });
  return iteration > 0 ? { ...discarded, mendable: true } : discarded;
}
