// Permission policy for unattended agents. The policy trusts what the agent says it will do; isolation makes sure that it
// cannot do more.
import { isInsideResolved } from "#system/inside";
import { oneLine } from "#text/plain-text";
import { ALLOW_ALL } from "../shared/refusal.ts";
import type { Tool } from "./tool.ts";

export interface Policy {
  readonly permissions: "auto" | "all";
  /** With auto: shell commands it may run; each may have more arguments. */
  readonly commands: readonly string[];
  readonly access: "write" | "read";
  /** The workspace. */
  readonly dir: string;
}

const READ_KINDS: ReadonlySet<string> = new Set(["read", "search", "think"]);
const WRITE_KINDS: ReadonlySet<string> = new Set(["edit", "delete", "move"]);
const SHOWN_CHARS = 200;
const ALLOW_HINT = `${ALLOW_ALL} would allow it`;

/** Characters with which a shell runs more than one command. */
const OPERATORS = /[;&|<>`$()\n\r\0]/;

function mayRun(command: string, allowed: string): boolean {
  if (command === allowed.trim()) return true;
  if (OPERATORS.test(command)) return false;
  const words = command.split(/[ \t]+/);
  const needed = allowed.trim().split(/[ \t]+/);
  return needed.every((word, index) => word !== "" && word === words[index]);
}

/** Some agents report only a title, which is the command, sometimes in backticks. */
function commandOf(tool: Tool): string {
  return tool.command ?? tool.title.replace(/^`(.*)`$/, "$1");
}

function describe(tool: Tool): string {
  const what = tool.kind === "execute" ? commandOf(tool) : tool.title || tool.paths.join(", ");
  return `${tool.kind} ${JSON.stringify(oneLine(what, SHOWN_CHARS))}`;
}

/** A path with "~" or a null byte never means the workspace. */
const isInWorkspace = (dir: string, name: string): boolean =>
  !/^~|\0/.test(name) && isInsideResolved(dir, name);

/** Why the call is refused; undefined when it is allowed. */
export function refusal(tool: Tool, { permissions, commands, access, dir }: Policy): string | undefined {
  const isRead = READ_KINDS.has(tool.kind);
  if (access === "read" && !isRead) return `${describe(tool)} was refused: this agent has read-only access`;
  if (permissions === "all") return undefined;
  const outside = tool.paths.find((path) => !isInWorkspace(dir, path));
  if (outside !== undefined)
    return `${describe(tool)} was refused: ${oneLine(outside, SHOWN_CHARS)} is outside the workspace; ${ALLOW_HINT}`;
  if (tool.isUnclear)
    return `${describe(tool)} was refused: it names more than can be checked; ${ALLOW_HINT}`;
  if (isRead) return undefined;
  if (WRITE_KINDS.has(tool.kind) && tool.paths.length > 0) return undefined;
  if (WRITE_KINDS.has(tool.kind))
    return `${describe(tool)} was refused: it does not say which file; ${ALLOW_HINT}`;
  if (tool.kind !== "execute") return `${describe(tool)} was refused; ${ALLOW_HINT}`;
  const command = commandOf(tool);
  if (command !== "" && commands.some((allowed) => mayRun(command, allowed))) return undefined;
  return `${describe(tool)} was refused; allow: [${JSON.stringify(oneLine(command, SHOWN_CHARS))}] or ${ALLOW_HINT}`;
}
