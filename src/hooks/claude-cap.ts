// How often Claude Code lets a Stop hook go on before it stops by itself: a variable in its settings that we raise.
import { BLOCK_CAP, blockCap, capIn, HOOKS, readSettings, settingsFiles } from "./claude-settings.ts";
import { ownHooks } from "./hook-text.ts";
import { isObject, type Json } from "./json.ts";
import { put, replace, take } from "./json-text.ts";
import { writeWhole } from "./settings-file.ts";

const hasOurHooks = (settings: Json) =>
  Object.keys(HOOKS).some((event) => ownHooks(settings, "claude", event).length > 0);

/** The text with a cap that is at least so high; the same text when it has one. */
export function withCap(text: string, settings: Json, iterations: number): string {
  const [cap, wanted] = [capIn(settings), String(iterations)];
  if (cap !== undefined)
    return blockCap(cap) >= iterations ? text : replace(text, ["env", BLOCK_CAP], wanted);
  return settings.env === undefined
    ? put(text, [], "env", { [BLOCK_CAP]: wanted })
    : put(text, ["env"], BLOCK_CAP, wanted);
}

/** The text without the cap that installing wrote, and the cap that stays because it is another's. */
export function withoutCap(text: string, settings: Json, iterations: number) {
  const cap = capIn(settings);
  if (cap === undefined || !hasOurHooks(settings)) return { text };
  return cap === String(iterations) ? { text: take(text, ["env", BLOCK_CAP]) } : { text, keptCap: cap };
}

function isWritten(file: string, text: string): boolean {
  try {
    writeWhole(file, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Raises the cap in the settings that our hook stands in, which Claude Code reads anew at once; the file, or undefined
 * when that cannot be done, or would not help: the hook comes from elsewhere, or another place sets the cap that is in
 * force.
 */
export function raiseCap(iterations: number, project: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const file of settingsFiles(project, env)) {
    const read = readSettings(file);
    if (!read || !hasOurHooks(read.settings)) continue;
    if (String(capIn(read.settings) ?? "") !== (env[BLOCK_CAP] ?? "")) return undefined;
    if (!isObject(read.settings.env ?? {})) return undefined;
    return isWritten(file, withCap(read.text, read.settings, iterations)) ? file : undefined;
  }
  return undefined;
}
