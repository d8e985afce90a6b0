// The result of tracing the gates' commands.
import type { Protection } from "#spec/task";
import type { Rule } from "../shared/rule.ts";
import type { Tool } from "./tools.ts";

export interface Followed {
  /** The tools that are called, with the folders they are called in. */
  readonly tools: Map<Tool, Set<string>>;
  readonly rules: Rule[];
  /** Protected JSON values and recipes that the commands run. */
  readonly parts: Protection[];
}

export const nothingFollowed = (): Followed => ({ tools: new Map(), rules: [], parts: [] });

export function addTool({ tools }: Followed, tool: Tool, folder: string): void {
  tools.set(tool, (tools.get(tool) ?? new Set()).add(folder));
}
