// Reads Claude Code's settings files and the limit of turns that a hook may continue.
import os from "node:os";
import path from "node:path";
import { isObject, type Json } from "#agents/shared/read-json";
import { parseJsonText } from "./json-text.ts";
import { readIfThere } from "./settings-file.ts";

/** Our hooks in Claude Code by event, with the NAME of `converge hook claude-NAME`. */
export const HOOKS = { UserPromptSubmit: "prompt", Stop: "stop", StopFailure: "failure", SessionEnd: "end" };

export const BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
const DEFAULT_CAP = 8;

/** Number of turns in a row without a tool call after which Claude Code ignores the hook and stops. */
export function blockCap(value: unknown): number {
  const text = String(value ?? "").trim();
  const cap = /^-?\d+$/.test(text) ? Number(text) : DEFAULT_CAP;
  return cap <= 0 ? Number.POSITIVE_INFINITY : cap;
}

export const userFolder = (env: NodeJS.ProcessEnv) =>
  path.resolve(env.CLAUDE_CONFIG_DIR || path.join(env.HOME || os.homedir(), ".claude"));

/** Settings files of a project, highest precedence first. */
export function settingsFiles(project: string, env: NodeJS.ProcessEnv): readonly string[] {
  const own = path.join(project, ".claude");
  return [
    path.join(own, "settings.local.json"),
    path.join(own, "settings.json"),
    path.join(userFolder(env), "settings.json"),
  ];
}

/** Reads a settings file; undefined when it is missing or unreadable. */
export function readSettings(file: string): { readonly text: string; readonly settings: Json } | undefined {
  try {
    const text = readIfThere(file) ?? "";
    const settings = parseJsonText(text);
    return isObject(settings) ? { text, settings } : undefined;
  } catch {
    return undefined;
  }
}

export function capIn(settings: unknown): unknown {
  return isObject(settings) && isObject(settings.env) ? settings.env[BLOCK_CAP] : undefined;
}
