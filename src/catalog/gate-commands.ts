// Lists the shell commands of a task's gates. The agent may run them too.
import type { Task } from "#spec/task";

function commandOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((word) => typeof word === "string") ? [value.join(" ")] : [];
}

/** Without duplicates. Includes setup and tests of levels, never black-box cases, which the agent must not see. */
export function gateCommands({ gates }: Task): string[] {
  const commands = gates.flatMap(({ use }) => {
    const tests = use.tests as Readonly<Record<string, unknown>> | undefined;
    const levelEntries = [tests?.setup, tests?.commands].flatMap((list) =>
      Array.isArray(list) ? list : [list],
    );
    const levelCommands = levelEntries.map(
      (one) => (one as { command?: unknown } | undefined)?.command ?? one,
    );
    return [use.command, ...levelCommands].flatMap(commandOf);
  });
  return [...new Set(commands)];
}
