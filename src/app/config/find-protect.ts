// What is protected: what the task file says, or else what the verdicts of the gates rest on.
import type { Component, GateSpec, Protect } from "#spec/task";
import type { MergedTask } from "./schema.ts";

export interface ProtectSource {
  readonly written: MergedTask["protect"];
  readonly gates: readonly GateSpec[];
  /** The workspace. */
  readonly dir: string;
  /** Task files that were read. */
  readonly sources: readonly string[];
  readonly strategy: Component;
}

export async function findProtect(_source: ProtectSource): Promise<Protect | undefined> {
  return undefined;
}
