// Pins what a clean room uses outside the workspace by hash when the run starts: programs and their settings files.
import fs from "node:fs";
import os from "node:os";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import { hashCached } from "#system/hash";
import { which } from "#system/which";
import { programsOf } from "./named-programs.ts";
import { cleanPath } from "./room-environment.ts";
import { settingsFiles } from "./tool-settings.ts";

export type Pins = Readonly<Record<string, string>>;

const SETTING = "setting: ";
const TOOL = /^tool (.+?): (.*)$/;

/** Resolves a program name to its file and real path; the path is empty when there is none. */
function toolKey(name: string, searchPath: string): { readonly key: string; readonly hash: string } {
  const file = which(name, searchPath);
  if (file === undefined) return { key: `tool ${name}: `, hash: "" };
  const real = fs.realpathSync(file);
  const place = real === file ? file : `${file} -> ${real}`;
  return { key: `tool ${name}: ${place}`, hash: hashCached(real) };
}

export interface PinPlaces {
  /** Folders that an agent works in; nothing in them is pinned. */
  readonly workspaces: readonly string[];
  /** Folder of the clean rooms. */
  readonly rooms: string;
}

/** Empty when no gate judges in a clean room. */
export function roomPins(task: Task, { workspaces, rooms }: PinPlaces): Pins {
  if (!task.gates.some((gate) => gate.policy.cleanRoom)) return {};
  const searchPath = cleanPath(process.env.PATH ?? "", workspaces);
  // Skips relative paths, which are in the room; pins absolute paths outside the workspaces.
  const names = programsOf(task).filter(
    (name) => !name.includes("/") || (name.startsWith("/") && cleanPath(name, workspaces) !== ""),
  );
  const tools = names.map((name) => toolKey(name, searchPath));
  return {
    ...Object.fromEntries(tools.map(({ key, hash }) => [key, hash])),
    ...Object.fromEntries(
      settingsFiles(os.homedir(), rooms).map((file) => [SETTING + file, hashCached(file)]),
    ),
  };
}

/** What changed since the run started, with advice; undefined when nothing did. */
export function changedPin({ pins }: Pick<Run, "pins">, searchPath: string): string | undefined {
  for (const [key, hash] of Object.entries(pins)) {
    const [, tool, place = ""] = TOOL.exec(key) ?? [];
    const complaint = key.startsWith(SETTING)
      ? settingComplaint(key.slice(SETTING.length), hash)
      : tool && toolComplaint(tool, place, hash, searchPath);
    if (complaint) return complaint;
  }
  return undefined;
}

const NEXT = "put that right and resume the run, or start a new one";

function settingComplaint(file: string, hash: string): string | undefined {
  const now = hashCached(file);
  if (now === hash) return undefined;
  const what = hash === "" ? "appeared" : now === "" ? "was removed" : "was changed";
  return `${file} ${what} after the run had started, and tools heed it; ${NEXT}`;
}

function toolComplaint(name: string, place: string, hash: string, searchPath: string): string | undefined {
  const now = toolKey(name, searchPath);
  const found = now.key.slice(`tool ${name}: `.length);
  if (found !== place)
    return `${name} is now ${found || "not there"}, and was ${place || "not there"} when the run started; ${NEXT}`;
  return now.hash === hash ? undefined : `${place} was changed after the run had started; ${NEXT}`;
}
