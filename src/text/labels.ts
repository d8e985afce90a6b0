// Labels for the parts of a task.
import type { Component, Task } from "#spec/task";
import { oneLine } from "./plain-text.ts";

const TITLE_CHARS = 200;

/** A command is labelled by its command line, everything else by its type. */
export function component(value: Component): string {
  const command = value.command;
  if (typeof command === "string") return command;
  if (Array.isArray(command)) return command.map(String).join(" ");
  if (value.type === "inline") return String(value.name);
  return value.type === "session" ? `${String(value.host)} session` : value.type;
}

/** Whether the agent is a session of the user's own. */
export const isSession = ({ agents: [first] }: Task): boolean => first?.type === "session";

/** The agents in working order. */
export const agents = ({ agents: list, rotate }: Task): string => {
  const names = list.map(component).join(rotate ? " and " : ", then ");
  return rotate ? `${names} in turn` : names;
};

/** The first line of the prompt. */
export const titleOf = ({ prompt }: Task): string =>
  oneLine(prompt.trimStart().split("\n", 1)[0] ?? "", TITLE_CHARS);
