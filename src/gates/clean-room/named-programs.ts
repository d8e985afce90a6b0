// Finds the programs that gates and set-up name in their commands. Best effort: shell syntax is not fully parsed.
import type { Task } from "#spec/task";
import { shellBuiltins, splitWords } from "#system/shell";

/** Programs that most commands start without naming them. */
const ALWAYS = ["/bin/sh", "sh", "bash", "env", "node", "npm", "npx", "git"];

/** Option keys of gates that hold shell commands, or a program with its arguments. */
const COMMAND_KEYS = new Set(["command", "commands", "setup", "run"]);

/** The programs of all clean-room gates and of the set-up. */
export function programsOf({ gates, cleanRoom }: Pick<Task, "gates" | "cleanRoom">): readonly string[] {
  const inRooms = gates.filter((gate) => gate.policy.cleanRoom);
  const named = [
    ...inRooms.flatMap((gate) => inOptions(gate.use)),
    ...(cleanRoom?.setup ?? []).flatMap(inShell),
  ];
  return [...new Set([...ALWAYS, ...named])];
}

function inOptions(options: unknown): string[] {
  if (Array.isArray(options)) return options.flatMap(inOptions);
  if (typeof options !== "object" || options === null) return [];
  return Object.entries(options).flatMap(([key, value]) =>
    COMMAND_KEYS.has(key) ? inCommand(value, key === "command") : inOptions(value),
  );
}

/** A string is a shell command; a list is a program with its arguments, or several commands. */
function inCommand(value: unknown, isOne: boolean): string[] {
  if (typeof value === "string") return inShell(value);
  if (!Array.isArray(value)) return inOptions(value);
  if (isOne) return value.slice(0, 1).filter((name) => typeof name === "string");
  return value.flatMap((one) => inCommand(one, Array.isArray(one)));
}

/** Words that a program name may follow. */
const LEADING = new Set(
  "{ if then elif else while until do ! time env exec command nice nohup timeout xargs sudo".split(" "),
);

/** The words where a shell expects a program. Extra words do no harm. */
function inShell(command: string): string[] {
  return splitWords(command).flatMap((all) => {
    const words = all.filter((word) => word !== "" && !/^\w+=/.test(word));
    const end = words.findIndex((word) => !LEADING.has(word) && !/^[-\d]/.test(word));
    const leading = end < 0 ? words : words.slice(0, end + 1);
    return leading.filter(
      (word) => !shellBuiltins.has(word) && /^[\w./@%+,:][\w./@%+,:-]*$/.test(word) && !/^\d/.test(word),
    );
  });
}
