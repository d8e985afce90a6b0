// Wraps the gates of a run as the task asks: in a clean room, and repeated.

import type { Gate } from "#spec/gate";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import { inCleanRoom, openRooms, type RoomFolders } from "./clean-room/rooms.ts";
import { repeated } from "./repeat.ts";

export interface Surroundings {
  readonly folders: RoomFolders;
  readonly run: Run;
  readonly workspace: Workspace;
}

export interface DecoratedGates {
  readonly gates: ReadonlyMap<string, Gate>;
  close(): Promise<void>;
}

export function decorateGates(gates: ReadonlyMap<string, Gate>, surroundings: Surroundings): DecoratedGates {
  const { folders, run, workspace } = surroundings;
  const rooms = openRooms(folders, workspace, run);
  const around = (name: string, gate: Gate): Gate => {
    const policy = run.task.gates.find((spec) => spec.name === name)?.policy;
    const placed = policy?.cleanRoom ? inCleanRoom(gate, rooms) : gate;
    // Repeats outside the room wrapper, so that each repetition starts with a restored room.
    return policy?.repeat ? repeated(placed, policy.repeat) : placed;
  };
  return {
    gates: new Map([...gates].map(([name, gate]) => [name, around(name, gate)])),
    close: async () => rooms.close(),
  };
}
