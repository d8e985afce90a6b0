// What the parts of a task are called when people read them.
import type { Component, Task } from "#spec/task";
import { oneLine } from "./plain-text.ts";

const TITLE_CHARS = 200;

/** A command is best known by what it runs, everything else by its type. */
export function component(value: Component): string {
  const command = value.command;
  if (typeof command === "string") return command;
  if (Array.isArray(command)) return command.map(String).join(" ");
  if (value.type === "inline") return String(value.name);
  return value.type === "session" ? `${String(value.host)} session` : value.type;
}

/** The agent is a session of the user's own. */
export const isSession = ({ agents: [first] }: Task): boolean => first?.type === "session";

/** The agents in the order they work. */
export const agents = ({ agents: list, rotate }: Task): string => {
  const names = list.map(component).join(rotate ? " and " : ", then ");
  return rotate ? `${names} in turn` : names;
};

/** The first line of what is wanted. */
export const titleOf = ({ prompt }: Task): string =>
  oneLine(prompt.trimStart().split("\n", 1)[0] ?? "", TITLE_CHARS);
