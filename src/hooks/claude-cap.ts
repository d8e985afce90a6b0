// Raises Claude Code's limit of turns that a Stop hook may continue in a row, a variable in its settings.

import { isObject, type Json } from "#agents/shared/read-json";
import { BLOCK_CAP, blockCap, capIn, HOOKS, readSettings, settingsFiles } from "./claude-settings.ts";
import { ownHooks } from "./hook-text.ts";
import { insert, remove, replace } from "./json-text.ts";
import { writeWhole } from "./settings-file.ts";

const hasOurHooks = (settings: Json) =>
  Object.keys(HOOKS).some((event) => ownHooks(settings, "claude", event).length > 0);

/** Returns the settings with a cap of at least `iterations`; unchanged when it is already high enough. */
export function withCap(text: string, settings: Json, iterations: number): string {
  const [cap, value] = [capIn(settings), String(iterations)];
  if (cap !== undefined) return blockCap(cap) >= iterations ? text : replace(text, ["env", BLOCK_CAP], value);
  return settings.env === undefined
    ? insert(text, [], { key: "env", value: { [BLOCK_CAP]: value } })
    : insert(text, ["env"], { key: BLOCK_CAP, value });
}

/** Removes the cap that installing wrote, or reports the cap that stays because someone else set it. */
export function withoutCap(text: string, settings: Json, iterations: number) {
  const cap = capIn(settings);
  if (cap === undefined || !hasOurHooks(settings)) return { text };
  return cap === String(iterations) ? { text: remove(text, ["env", BLOCK_CAP]) } : { text, keptCap: cap };
}

function tryWrite(file: string, text: string): boolean {
  try {
    writeWhole(file, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Raises the cap in the settings file that contains our hook; Claude Code reloads it at once. Returns the file, or
 * undefined when the file cannot be written, or writing would not help: the hook is not installed there, or another source
 * sets the effective cap.
 */
export function raiseCap(iterations: number, project: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const file of settingsFiles(project, env)) {
    const read = readSettings(file);
    if (!read || !hasOurHooks(read.settings)) continue;
    if (String(capIn(read.settings) ?? "") !== (env[BLOCK_CAP] ?? "")) return undefined;
    if (!isObject(read.settings.env ?? {})) return undefined;
    return tryWrite(file, withCap(read.text, read.settings, iterations)) ? file : undefined;
  }
  return undefined;
}
