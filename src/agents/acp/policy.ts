// Who may do what, when nobody is there to ask. An agent is taken at its word about what it is going to do: that it
// cannot do more than it says is a matter of isolation.
import { oneLine } from "#text/plain-text";
import { ALLOW_ALL } from "../shared/refusal.ts";
import { isInside } from "./inside.ts";
import type { Tool } from "./tool.ts";

export interface Policy {
  readonly permissions: "auto" | "all";
  /** With auto: shell commands that it may run; each may be followed by arguments. */
  readonly commands: readonly string[];
  readonly access: "write" | "read";
  /** The workspace. */
  readonly dir: string;
}

const LOOKS: ReadonlySet<string> = new Set(["read", "search", "think"]);
const CHANGES: ReadonlySet<string> = new Set(["edit", "delete", "move"]);
const SHOWN_CHARS = 200;
const MOST = `${ALLOW_ALL} would allow it`;

/** What makes a shell do more than one command. */
const OPERATORS = /[;&|<>`$()\n\r\0]/;

function mayRun(command: string, allowed: string): boolean {
  if (command === allowed.trim()) return true;
  if (OPERATORS.test(command)) return false;
  const words = command.split(/[ \t]+/);
  const needed = allowed.trim().split(/[ \t]+/);
  return needed.every((word, index) => word !== "" && word === words[index]);
}

/** The title of a command is the command, for agents that tell no more; some put it in backticks. */
function commandOf(tool: Tool): string {
  return tool.command ?? tool.title.replace(/^`(.*)`$/, "$1");
}

function shown(tool: Tool): string {
  const what = tool.kind === "execute" ? commandOf(tool) : tool.title || tool.paths.join(", ");
  return `${tool.kind} ${JSON.stringify(oneLine(what, SHOWN_CHARS))}`;
}

/** Why it may not; undefined when it may. */
export function refusal(tool: Tool, { permissions, commands, access, dir }: Policy): string | undefined {
  const looks = LOOKS.has(tool.kind);
  if (access === "read" && !looks) return `${shown(tool)} was refused: this agent is only to look`;
  if (permissions === "all") return undefined;
  const outside = tool.paths.find((path) => !isInside(dir, path));
  if (outside !== undefined)
    return `${shown(tool)} was refused: ${oneLine(outside, SHOWN_CHARS)} is outside the workspace; ${MOST}`;
  if (tool.isUnclear) return `${shown(tool)} was refused: it names more than can be checked; ${MOST}`;
  if (looks) return undefined;
  if (CHANGES.has(tool.kind) && tool.paths.length > 0) return undefined;
  if (CHANGES.has(tool.kind)) return `${shown(tool)} was refused: it does not say which file; ${MOST}`;
  if (tool.kind !== "execute") return `${shown(tool)} was refused; ${MOST}`;
  const command = commandOf(tool);
  if (command !== "" && commands.some((allowed) => mayRun(command, allowed))) return undefined;
  return `${shown(tool)} was refused; allow: [${JSON.stringify(oneLine(command, SHOWN_CHARS))}] or ${MOST}`;
}
