// Which gates judge in a clean room, and what makes the room ready.
import type { CleanRoom, GateSpec } from "#spec/task";
import type { MergedTask } from "./schema.ts";

type Written = MergedTask["cleanRoom"];

/** A gate's own word goes before the task's. */
export function gatesInRooms(gates: readonly GateSpec[], written: Written): readonly GateSpec[] {
  return gates.map((gate) => {
    const cleanRoom = gate.policy.cleanRoom ?? written?.on ?? false;
    const { cleanRoom: _own, ...policy } = gate.policy;
    return cleanRoom ? { ...gate, policy: { ...policy, cleanRoom } } : { ...gate, policy };
  });
}

export interface RoomSource {
  readonly written: Written;
  readonly gates: readonly GateSpec[];
  readonly dir: string;
}

export async function findCleanRoom(_source: RoomSource): Promise<CleanRoom | undefined> {
  return undefined;
}
