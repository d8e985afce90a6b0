// The gates of a run, with what the task asks for around them: judged several times, and in a clean room.
import type { Gate } from "#spec/gate";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import type { Home } from "./home.ts";
import { inCleanRoom } from "./rooms/in-clean-room.ts";
import { openRooms } from "./rooms/rooms.ts";

export interface Surroundings {
  readonly home: Home;
  readonly run: Run;
  readonly workspace: Workspace;
}

export interface AroundGates {
  readonly gates: ReadonlyMap<string, Gate>;
  close(): Promise<void>;
}

export function aroundGates(gates: ReadonlyMap<string, Gate>, surroundings: Surroundings): AroundGates {
  const { home, run, workspace } = surroundings;
  const rooms = openRooms(home, workspace, run);
  const isInRoom = (name: string) =>
    run.task.gates.some((gate) => gate.name === name && gate.policy.cleanRoom);
  const around = [...gates].map(
    ([name, gate]) => [name, isInRoom(name) ? inCleanRoom(gate, rooms) : gate] as const,
  );
  return { gates: new Map(around), close: async () => rooms.close() };
}
