// Claude Code's settings files: where they lie, what they say, and how often it lets a hook go on.
import os from "node:os";
import path from "node:path";
import { isObject, type Json, parseJson } from "./json.ts";
import { readIfThere } from "./settings-file.ts";

/** The hooks that we have in Claude Code, and the names by which `converge hook claude-NAME` knows them. */
export const HOOKS = { UserPromptSubmit: "prompt", Stop: "stop", StopFailure: "failure", SessionEnd: "end" };

export const BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
const USUAL_CAP = 8;

/** Turns in a row without a tool call after which Claude Code lets go by itself. */
export function blockCap(value: unknown): number {
  const text = String(value ?? "").trim();
  const cap = /^-?\d+$/.test(text) ? Number(text) : USUAL_CAP;
  return cap <= 0 ? Number.POSITIVE_INFINITY : cap;
}

export const userFolder = (env: NodeJS.ProcessEnv) =>
  path.resolve(env.CLAUDE_CONFIG_DIR || path.join(env.HOME || os.homedir(), ".claude"));

/** Those that count in a project, first the one that is believed before the others. */
export function settingsFiles(project: string, env: NodeJS.ProcessEnv): readonly string[] {
  const own = path.join(project, ".claude");
  return [
    path.join(own, "settings.local.json"),
    path.join(own, "settings.json"),
    path.join(userFolder(env), "settings.json"),
  ];
}

/** What a file of settings says; undefined when there is none, or none that can be read. */
export function readSettings(file: string): { readonly text: string; readonly settings: Json } | undefined {
  try {
    const text = readIfThere(file) ?? "";
    const settings = parseJson(text);
    return isObject(settings) ? { text, settings } : undefined;
  } catch {
    return undefined;
  }
}

export function capIn(settings: unknown): unknown {
  return isObject(settings) && isObject(settings.env) ? settings.env[BLOCK_CAP] : undefined;
}
