// The gates of a run, with what the task asks for around them: judged several times, and in a clean room.
import type { Gate } from "#spec/gate";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import type { Home } from "./home.ts";

export interface Surroundings {
  readonly home: Home;
  readonly run: Run;
  readonly workspace: Workspace;
}

export interface AroundGates {
  readonly gates: ReadonlyMap<string, Gate>;
  close(): Promise<void>;
}

export function aroundGates(gates: ReadonlyMap<string, Gate>, _surroundings: Surroundings): AroundGates {
  return { gates, close: async () => {} };
}
