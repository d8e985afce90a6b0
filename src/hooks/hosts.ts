// Lists the host programs whose hooks are commands.
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import type { CommandHost } from "./command-hook.ts";
import { gemini } from "./gemini.ts";

export const HOSTS: readonly CommandHost[] = [claude, codex, gemini];

/** Looks up host and event by hook name: `claude-stop` is Claude Code's hook for the end of a turn. */
export function hostAndEvent(
  name: string,
): { readonly host: CommandHost; readonly event: string } | undefined {
  for (const host of HOSTS)
    for (const event of host.events) if (name === `${host.name}-${event}`) return { host, event };
  return undefined;
}
