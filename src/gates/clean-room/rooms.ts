// The clean rooms of a run: one at a time, shared by the gates that judge the same tree, deleted at the end.
import path from "node:path";
import type { JudgeRequest } from "#spec/gate";
import { SETUP_PART } from "#spec/ports";
import type { Run } from "#spec/run";
import type { CleanRoom } from "#spec/task";
import type { Workspace } from "#spec/workspace";
import { privateDir, removeAll } from "#system/files";
import { openRoom, type Room, type RoomPlan, type Tidied } from "./room.ts";
import { openCache } from "./room-cache.ts";
import { scrubbed } from "./room-environment.ts";
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
  enter(request: JudgeRequest, signal: AbortSignal): Promise<Room>;
  /** Call after a gate has judged in the room. */
  leave(room: Room): Promise<Tidied>;
  close(): void;
}

const NOTHING: CleanRoom = { setup: [], setupMs: 1, cache: [], env: [] };

/** Folders that an agent or the user works in. */
export function workspacesOf(run: Pick<Run, "dir" | "task">): readonly string[] {
  return [...new Set([run.dir, run.task.workspace.dir])];
}

export function openRooms(folders: RoomFolders, workspace: Workspace, run: Run): Rooms {
  const within = path.join(folders.rooms, run.id);
  const cleanRoom = run.task.cleanRoom ?? NOTHING;
  let current: Room | undefined;

  const close = () => {
    current = undefined;
    try {
      removeAll(within);
    } catch {
      // Files of another user (from a container, say) cannot be deleted; no room is ever reused.
    }
  };

  const planFor = (
    { run: now, tree, iteration }: JudgeRequest,
    signal: AbortSignal,
    recipe = cleanRoom,
  ): RoomPlan => ({
    tree,
    iteration,
    within,
    copy: async (dir) => {
      await workspace.copy(tree, dir);
      const sealed = sealedIn(now);
      if (sealed) await workspace.mend(sealed.seal, sealed.paths, dir);
    },
    tampered: async (dir) => {
      const sealed = sealedIn(now);
      const found = sealed && (await workspace.tampering(sealed.seal, sealed.paths, dir));
      return found?.changes.map((change) => change.path) ?? [];
    },
    environment: (tmp) => scrubbed(process.env, { workspaces: workspacesOf(now), names: cleanRoom.env, tmp }),
    setUp: (room, env) =>
      setUp(
        {
          ...{ run: now.id, cleanRoom: recipe, room, env },
          cache: openCache(folders.cache, recipe),
          keeps: tree === now.baseline.snapshot?.tree,
          files: privateDir(folders.partDir(now.id, iteration, SETUP_PART)),
        },
        signal,
      ),
  });

  /**
   * Blames the agent for a failed set-up if set-up still works on the baseline's files, so that the agent is told.
   * Bypasses the cache, because the check is whether set-up works now.
   */
  const blameAgent = async (room: Room, request: JudgeRequest, signal: AbortSignal): Promise<Room> => {
    const base = request.run.baseline.snapshot?.tree;
    if (!room.trouble || base === undefined || base === request.tree || signal.aborted) return room;
    const control = await openRoom(planFor({ ...request, tree: base }, signal, { ...cleanRoom, cache: [] }));
    return control.trouble ? room : { ...room, trouble: { ...room.trouble, mendable: true } };
  };

  return {
    enter: async (request, signal) => {
      if (current && serves(current, request)) return current;
      // Also deletes rooms of a killed process.
      close();
      const room = await blameAgent(await openRoom(planFor(request, signal)), request, signal);
      // An aborted set-up says nothing about the next attempt.
      if (!signal.aborted) current = room;
      return room;
    },
    leave: async (room) => {
      const left = current;
      current = undefined;
      const tidied = await room.tidy();
      if (tidied.spoiled) close();
      else current = left;
      return tidied;
    },
    close,
  };
}

/** A failed set-up is retried in the next iteration, even for the same files. */
function serves(room: Room, { tree, iteration }: JudgeRequest): boolean {
  return room.tree === tree && (room.trouble === undefined || room.iteration === iteration);
}

/** Files that a room always has as sealed at the start; undefined when changes are allowed. */
function sealedIn({ seal, task: { protect } }: Run) {
  return seal && protect && protect.action !== "allow" ? { seal, paths: protect.paths } : undefined;
}
