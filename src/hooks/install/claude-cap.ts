// How often Claude Code lets a Stop hook go on before it stops by itself: a variable in its settings that we raise.
import {
  BLOCK_CAP,
  blockCap,
  capIn,
  HOOKS,
  isObject,
  ownHooks,
  readSettings,
  settingsFiles,
} from "../claude-settings.ts";
import { writeWhole } from "./files.ts";
import { put, replace } from "./json-text.ts";

/** The text with a cap that is at least so high; the same text when it has one. */
export function withCap(text: string, settings: unknown, iterations: number): string {
  const [cap, wanted] = [capIn(settings), String(iterations)];
  if (cap !== undefined)
    return blockCap(cap) >= iterations ? text : replace(text, ["env", BLOCK_CAP], wanted);
  const { env } = settings as { readonly env?: unknown };
  return env === undefined
    ? put(text, [], "env", { [BLOCK_CAP]: wanted })
    : put(text, ["env"], BLOCK_CAP, wanted);
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
    if (!read || !Object.keys(HOOKS).some((event) => ownHooks(read.settings, event).length > 0)) continue;
    if (String(capIn(read.settings) ?? "") !== (env[BLOCK_CAP] ?? "")) return undefined;
    if (!isObject(read.settings.env ?? {})) return undefined;
    return isWritten(file, withCap(read.text, read.settings, iterations)) ? file : undefined;
  }
  return undefined;
}
