// Pins what a clean room uses outside the workspace by hash when the run starts: programs and their settings files.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import { hashCached } from "#system/hash";
import { which } from "#system/which";
import { programsOf } from "./named-programs.ts";
import { cleanPath } from "./room-environment.ts";

export type Pins = Readonly<Record<string, string>>;

const SETTING = "setting: ";
const TOOL = /^tool (.+?): (.*)$/;

const SETTINGS_IN_HOME = [
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".bunfig.toml",
  ".config/pnpm/rc",
  ".pip/pip.conf",
  ".config/pip/pip.conf",
  ".config/uv/uv.toml",
  ".pydistutils.cfg",
  ".cargo/config",
  ".cargo/config.toml",
  ".config/go/env",
  ".m2/settings.xml",
  ".mavenrc",
  ".gradle/gradle.properties",
  ".gradle/init.gradle",
  ".gemrc",
  ".bundle/config",
  ".rspec",
  ".nuget/NuGet/NuGet.Config",
  ".gitconfig",
  ".config/git/config",
  ".node_modules",
  ".node_libraries",
];

/** Files that tools look up in every parent folder. */
const SETTINGS_ABOVE = ["node_modules", "package.json", "tsconfig.json", "pyproject.toml", "conftest.py"];

/** Settings files outside the workspace that change how tools behave; `rooms` is the folder of the clean rooms. */
function settingsFiles(home: string, rooms: string): readonly string[] {
  const above = foldersAbove(rooms).flatMap((folder) =>
    SETTINGS_ABOVE.map((name) => path.join(folder, name)),
  );
  return [...SETTINGS_IN_HOME.map((name) => path.join(home, name)), ...above];
}

function foldersAbove(dir: string): string[] {
  const parent = path.dirname(dir);
  return parent === dir ? [dir] : [dir, ...foldersAbove(parent)];
}

/** Resolves a program name to its file and real path; the path is empty when there is none. */
function pinTool(name: string, searchPath: string): { readonly key: string; readonly hash: string } {
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
  const tools = names.map((name) => pinTool(name, searchPath));
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
    const problem = key.startsWith(SETTING)
      ? settingProblem(key.slice(SETTING.length), hash)
      : tool && toolProblem({ name: tool, place, hash }, searchPath);
    if (problem) return problem;
  }
  return undefined;
}

const NEXT = "undo that and resume the run, or start a new one";

function settingProblem(file: string, hash: string): string | undefined {
  const now = hashCached(file);
  if (now === hash) return undefined;
  const change = hash === "" ? "created" : now === "" ? "deleted" : "changed";
  return `${file}, which tools read, was ${change} after the run had started; ${NEXT}`;
}

interface PinnedTool {
  readonly name: string;
  /** Its path when the run started; empty when it was not installed. */
  readonly place: string;
  readonly hash: string;
}

function toolProblem({ name, place, hash }: PinnedTool, searchPath: string): string | undefined {
  const now = pinTool(name, searchPath);
  const current = now.key.slice(`tool ${name}: `.length);
  if (current !== place)
    return `${name} is now ${current || "not installed"}, and was ${place || "not installed"} when the run started; ${NEXT}`;
  return now.hash === hash ? undefined : `${place} was changed after the run had started; ${NEXT}`;
}
