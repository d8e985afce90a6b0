// Collects the commands and the files to compare with from the options of all gates.
import fs from "node:fs";
import path from "node:path";
import type { GateCommand } from "#classify/commands/follow";
import { looksLikeCheck } from "#classify/commands/programs";
import type { GateSpec } from "#spec/task";
import { pathInside } from "#system/inside";

const COMMANDS = ["command", "commands", "setup"];
const FIXTURES = ["schema", "equals"];
/** Maps whose `file` is an input of the gate, not something that the agent creates. */
const INPUTS = ["stdin", "equals"];

export interface GateFiles {
  readonly commands: readonly GateCommand[];
  /** Relative to the workspace. */
  readonly files: readonly string[];
}

export function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}

/** Files that one option of a gate compares with. */
function comparedFiles(key: string, value: unknown): string[] {
  if (FIXTURES.includes(key) && typeof value !== "object") return textsIn(value);
  // The file may also be one that the agent is asked to create.
  if (key === "file") return textsIn(value).filter(looksLikeCheck);
  return INPUTS.includes(key) ? textsIn((value as { readonly file?: unknown } | null)?.file) : [];
}

function commandsOf(key: string, value: unknown): (string | readonly string[])[] {
  if (key === "command" && Array.isArray(value)) return [textsIn(value)];
  return COMMANDS.includes(key) ? textsIn(value) : [];
}

export function readGateFiles(gates: readonly GateSpec[], dir: string): GateFiles {
  const commands: GateCommand[] = [];
  const files: string[] = [];
  const isFile = (name: string) =>
    fs.statSync(path.join(dir, name), { throwIfNoEntry: false })?.isFile() ?? false;
  /** Walks the options. A key means the same in every type of gate. */
  const walk = (value: object, start: string): void => {
    const { cwd } = value as { readonly cwd?: unknown };
    const folder = typeof cwd === "string" ? (pathInside(dir, path.resolve(dir, start, cwd)) ?? "") : start;
    for (const [key, inner] of Object.entries(value)) {
      commands.push(...commandsOf(key, inner).map((command) => ({ command, cwd: folder })));
      const places = comparedFiles(key, inner).flatMap(
        (name) => pathInside(dir, path.resolve(dir, folder, name)) ?? [],
      );
      files.push(...places.filter(isFile));
      if (typeof inner === "object" && inner !== null) walk(inner, folder);
    }
  };
  for (const { use } of gates) walk(use, "");
  return { commands, files };
}
