// What an agent was refused, with the setting that would allow it.
import { oneLine } from "#text/plain-text";

const CHARS = 200;

/** What allows everything is only for an agent that is shut off. */
export const ALLOW_ALL = '"permissions: all" with "isolation: strict"';

export function refusedCommand(title: string, command: string): string {
  const words = oneLine(command, CHARS);
  return `${title} was not allowed to run: ${words}; allow it with "allow: [${JSON.stringify(words)}]" or ${ALLOW_ALL}`;
}

/** `own`: a setting of the CLI itself, which allows less than everything. */
export function refusedTool(title: string, { tool, on }: { tool: string; on: string }, own: string): string {
  const what = `${oneLine(tool, CHARS)} ${oneLine(on, CHARS)}`.trim();
  return `${title} was not allowed to use ${what}; allow it with ${own} or ${ALLOW_ALL}`;
}
