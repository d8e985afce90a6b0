// The clean rooms of a run: one at a time, the same for all gates that judge the same tree, and none when it is over.
import path from "node:path";
import type { JudgeRequest } from "#spec/gate";
import { SETUP_PART } from "#spec/log-parts";
import type { Run } from "#spec/run";
import type { CleanRoom } from "#spec/task";
import type { Workspace } from "#spec/workspace";
import { privateDir, removeAll } from "#system/files";
import { openRoom, type Room, type RoomPlan, type Tidied } from "./room.ts";
import { openCache } from "./room-cache.ts";
import { scrubbed } from "./room-environment.ts";
import { setUp } from "./room-setup.ts";

/** The folders that clean rooms need, all of them outside of every workspace. */
export interface RoomFolders {
  /** Holds the clean rooms of all runs. */
  readonly rooms: string;
  /** Holds what set-up filled, for the next clean room. */
  readonly cache: string;
  /** The folder for the logs of one part of an iteration. */
  partDir(run: string, iteration: number, part: string): string;
}

export interface Rooms {
  enter(request: JudgeRequest, signal: AbortSignal): Promise<Room>;
  /** After a gate has judged in the room. */
  leave(room: Room): Promise<Tidied>;
  close(): void;
}

const NOTHING: CleanRoom = { setup: [], setupMs: 1, cache: [], env: [] };

/** Folders that an agent works in, or the user did. */
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
      // What a gate made as somebody else (in a container, say) is not ours to remove; no room is ever used twice.
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
   * Set-up runs what the files say, so an agent can break it. It has, if set-up still works on the untouched files; then
   * the agent hears of it. Without the cache: the question is what set-up does now.
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
      // Also what a process that was killed has left.
      close();
      const room = await blameAgent(await openRoom(planFor(request, signal)), request, signal);
      // What was cut off says nothing about the next time.
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

/** Set-up that failed is tried again in the next iteration, also when the files are the same. */
function serves(room: Room, { tree, iteration }: JudgeRequest): boolean {
  return room.tree === tree && (room.trouble === undefined || room.iteration === iteration);
}

/** What a room has as it was at the start, whatever became of it since; nothing when changes are allowed. */
function sealedIn({ seal, task: { protect } }: Run) {
  return seal && protect && protect.action !== "allow" ? { seal, paths: protect.paths } : undefined;
}
