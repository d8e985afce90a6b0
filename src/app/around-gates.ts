// The gates of a run, with what the task asks for around them: judged several times, and in a clean room.
import { repeated } from "#gates/repeat";
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

/** As often as its policy asks for. */
function asOften(name: string, gate: Gate, run: Run): Gate {
  const repeat = run.task.gates.find((spec) => spec.name === name)?.policy.repeat;
  return repeat ? repeated(gate, repeat) : gate;
}

export function aroundGates(gates: ReadonlyMap<string, Gate>, { run }: Surroundings): AroundGates {
  const around = [...gates].map(([name, gate]) => [name, asOften(name, gate, run)] as const);
  return { gates: new Map(around), close: async () => {} };
}
