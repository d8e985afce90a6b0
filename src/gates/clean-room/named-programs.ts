// The programs that gates and set-up name in their commands, as far as that can be read off.
import type { Task } from "#spec/task";
import { shellWords } from "#system/plain-words";

/** What nearly every command starts, although few name it. */
const ALWAYS = ["/bin/sh", "sh", "bash", "env", "node", "npm", "npx", "git"];

/** Keys under which the options of a gate have shell commands, or a program and its arguments. */
const COMMAND_KEYS = new Set(["command", "commands", "setup", "run"]);

/** The programs of all gates that judge in a clean room, and of its set-up. */
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

/** A text is for a shell; a list is a program with its arguments, or several commands. */
function inCommand(value: unknown, isOne: boolean): string[] {
  if (typeof value === "string") return inShell(value);
  if (!Array.isArray(value)) return inOptions(value);
  if (isOne) return value.slice(0, 1).filter((name) => typeof name === "string");
  return value.flatMap((one) => inCommand(one, Array.isArray(one)));
}

/** Words after which the shell still looks for a program. */
const LEADING = new Set(
  "if then elif else while until do ! time env exec command nice nohup timeout xargs sudo".split(" "),
);

/** The words at the places where a shell takes a word for a program. Too many do no harm. */
function inShell(command: string): string[] {
  const pieces = command.replace(/'[^']*'/g, "'").split(/&&|\|\||[;&|\n(){}`]/);
  return pieces.flatMap((piece) => {
    const words = piece
      .trim()
      .split(/\s+/)
      .filter((word) => word !== "" && !/^\w+=/.test(word));
    const end = words.findIndex((word) => !LEADING.has(word) && !/^[-\d]/.test(word));
    const leading = end < 0 ? words : words.slice(0, end + 1);
    return leading.filter(
      (word) => !shellWords.has(word) && /^[\w./@%+,:][\w./@%+,:-]*$/.test(word) && !/^\d/.test(word),
    );
  });
}
