// What the options of the gates name: commands to run, and files to compare with.
import fs from "node:fs";
import path from "node:path";
import type { GateCommand } from "#classify/commands/follow";
import { looksLikeCheck } from "#classify/commands/programs";
import type { GateSpec } from "#spec/task";

const COMMANDS = ["command", "commands", "setup"];
const FIXTURES = ["schema", "equals"];
/** Maps whose `file` is something to compare with or to read, not something to make. */
const GIVEN = ["stdin", "equals"];

export interface NamedByGates {
  readonly commands: readonly GateCommand[];
  /** Relative to the workspace. */
  readonly files: readonly string[];
}

export function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}

/** Relative to the workspace; undefined when it lies outside, or is the workspace itself. */
export function insideOf(dir: string, name: string, folder = ""): string | undefined {
  const relative = path.relative(dir, path.resolve(dir, folder, name));
  return relative === "" || relative === ".." || relative.startsWith("../") ? undefined : relative;
}

/** Files that one option of a gate names to compare with. */
function comparedFiles(key: string, value: unknown): string[] {
  if (FIXTURES.includes(key) && typeof value !== "object") return textsIn(value);
  // A file may as well be what the agent is asked to make.
  if (key === "file") return textsIn(value).filter(looksLikeCheck);
  return GIVEN.includes(key) ? textsIn((value as { readonly file?: unknown } | null)?.file) : [];
}

function commandsOf(key: string, value: unknown): (string | readonly string[])[] {
  if (key === "command" && Array.isArray(value)) return [textsIn(value)];
  return COMMANDS.includes(key) ? textsIn(value) : [];
}

export function namedByGates(gates: readonly GateSpec[], dir: string): NamedByGates {
  const commands: GateCommand[] = [];
  const files: string[] = [];
  const isFile = (name: string) =>
    fs.statSync(path.join(dir, name), { throwIfNoEntry: false })?.isFile() ?? false;
  /** The options mean the same whatever the type of the gate. */
  const read = (value: object, start: string): void => {
    const { cwd } = value as { readonly cwd?: unknown };
    const folder = typeof cwd === "string" ? (insideOf(dir, cwd, start) ?? "") : start;
    for (const [key, inner] of Object.entries(value)) {
      commands.push(...commandsOf(key, inner).map((command) => ({ command, cwd: folder })));
      const places = comparedFiles(key, inner).flatMap((name) => insideOf(dir, name, folder) ?? []);
      files.push(...places.filter(isFile));
      if (typeof inner === "object" && inner !== null) read(inner, folder);
    }
  };
  for (const { use } of gates) read(use, "");
  return { commands, files };
}
