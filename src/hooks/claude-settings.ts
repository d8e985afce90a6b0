// Claude Code's settings files: where they lie, whether our own hooks stand in them, and how often it lets a hook go on.
import os from "node:os";
import path from "node:path";
import { readIfThere } from "./install/files.ts";

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

type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export interface OwnHook {
  /** Where it stands in the settings. */
  readonly path: readonly string[];
  readonly entry: Json;
}

/** By whatever path the command is called, and whichever version wrote it. */
const isOurs = (command: unknown) =>
  typeof command === "string" && /(?:^|[\s/'"])converge(?:\.js)?['"]?\s+hook\s+claude-[a-z]+/.test(command);

/** Our own hooks for an event in settings, whatever else is in them. */
export function ownHooks(settings: unknown, event: string): readonly OwnHook[] {
  const hooks = isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};
  return listed(hooks[event]).flatMap((group, at) =>
    listed(isObject(group) ? group.hooks : undefined).flatMap((entry, index) =>
      isObject(entry) && isOurs(entry.command)
        ? [{ path: ["hooks", event, String(at), "hooks", String(index)], entry }]
        : [],
    ),
  );
}

/** What a file of settings says; undefined when there is none, or none that can be read. */
export function readSettings(file: string): { readonly text: string; readonly settings: Json } | undefined {
  try {
    const text = readIfThere(file) ?? "";
    const settings = JSON.parse(text.replace(/^\ufeff/, ""));
    return isObject(settings) ? { text, settings } : undefined;
  } catch {
    return undefined;
  }
}

export function capIn(settings: unknown): unknown {
  return isObject(settings) && isObject(settings.env) ? settings.env[BLOCK_CAP] : undefined;
}
