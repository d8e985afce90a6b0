// Formats refusals of an agent, with the setting that would allow each.
import { oneLine } from "#text/plain-text";

const CHARS = 200;

/** Allowing everything is safe only in strict isolation. */
export const ALLOW_ALL = '"permissions: all" with "isolation: strict"';

export function refusedCommand(title: string, command: string): string {
  const words = oneLine(command, CHARS);
  return `${title} was not allowed to run: ${words}; allow it with "allow: [${JSON.stringify(words)}]" or ${ALLOW_ALL}`;
}

/** `own`: a setting of the CLI itself that allows less than everything. */
export function refusedTool(title: string, { tool, on }: { tool: string; on: string }, own: string): string {
  const what = `${oneLine(tool, CHARS)} ${oneLine(on, CHARS)}`.trim();
  return `${title} was not allowed to use ${what}; allow it with ${own} or ${ALLOW_ALL}`;
}
