// What is protected: what the task file says, or else what the verdicts of the gates rest on.
import { protectionName } from "#spec/protection-name";
import type { Protect, Protection } from "#spec/task";
import { fromGates, type Grounds } from "./protect/from-gates.ts";
import type { MergedTask } from "./schema.ts";

export interface ProtectSource extends Grounds {
  readonly written: MergedTask["protect"];
}

/** Each once; what is said last about one goes. */
function distinct(paths: readonly Protection[]): readonly Protection[] {
  return [...new Map(paths.map((one) => [protectionName(one), one])).values()];
}

/** The word `default` stands for what is found; so does saying nothing. */
export function findProtect({ written, ...grounds }: ProtectSource): Protect | undefined {
  const entries = written?.paths ?? ["default"];
  const paths = entries.flatMap((entry) => (entry === "default" ? fromGates(grounds) : [entry]));
  if (paths.length === 0) return undefined;
  return { paths: distinct(paths), action: written?.action ?? "restore" };
}
