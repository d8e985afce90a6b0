// The shell commands that a task's gates run: what an agent may run as well, to see what they will see.
import type { Task } from "#spec/task";

function commandOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((word) => typeof word === "string") ? [value.join(" ")] : [];
}

/** Each once. Commands inside levels are setup and tests; black-box cases are not for the agent to see. */
export function gateCommands({ gates }: Task): string[] {
  const found = gates.flatMap(({ use }) => {
    const tests = use.tests as Readonly<Record<string, unknown>> | undefined;
    const inLevels = [tests?.setup, tests?.commands].flatMap((list) => (Array.isArray(list) ? list : [list]));
    const written = inLevels.map((one) => (one as { command?: unknown } | undefined)?.command ?? one);
    return [use.command, ...written].flatMap(commandOf);
  });
  return [...new Set(found)];
}
