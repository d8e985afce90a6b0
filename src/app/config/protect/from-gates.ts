// What the verdicts of the gates rest on: what their commands run, the files they name, and the task itself.
import fs from "node:fs";
import path from "node:path";
import type { Component, GateSpec, Protection } from "#spec/task";
import { type Collector, collector, looksLikeCheck } from "./collect.ts";
import { commandReader, type ReadCommand } from "./from-commands.ts";

const COMMANDS = ["command", "commands", "setup"];
const FIXTURES = ["schema", "equals"];
/** Maps whose `file` is something to compare with or to read, not something to make. */
const GIVEN = ["stdin", "equals"];

function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}

/** Whatever the type of the gate: these options mean the same everywhere. */
function readOptions(value: object, start: string, collect: Collector, command: ReadCommand): void {
  const { cwd } = value as { readonly cwd?: unknown };
  const folder = typeof cwd === "string" ? (collect.inside(cwd, start) ?? "") : start;
  const fixture = (name: string) => {
    const place = collect.inside(name, folder);
    if (place !== undefined && collect.kindOf(place) === "file") collect.thing(place);
  };
  for (const [key, inner] of Object.entries(value)) {
    if (key === "command" && Array.isArray(inner)) command(textsIn(inner), folder);
    else if (COMMANDS.includes(key)) for (const text of textsIn(inner)) command(text, folder);
    else if (FIXTURES.includes(key)) textsIn(inner).forEach(fixture);
    // A file may as well be what the agent is to make.
    else if (key === "file") textsIn(inner).filter(looksLikeCheck).forEach(fixture);
    if (GIVEN.includes(key)) textsIn((inner as { readonly file?: unknown } | null)?.file).forEach(fixture);
    if (typeof inner === "object" && inner !== null) readOptions(inner, folder, collect, command);
  }
}

/** Where the folder really lies: it may be known by several names. */
function real(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}

export interface Grounds {
  readonly gates: readonly GateSpec[];
  /** The workspace. */
  readonly dir: string;
  /** Task files that were read. */
  readonly sources: readonly string[];
  readonly strategy: Component;
}

export function fromGates({ gates, dir, sources, strategy }: Grounds): readonly Protection[] {
  const collect = collector(real(dir));
  const command = commandReader(collect);
  for (const { use } of gates) {
    readOptions(use, "", collect, command);
    if (use.type === "ci") collect.files("", ".github/**", false);
  }
  const modules = strategy.type === "custom" ? textsIn(strategy.module) : [];
  for (const file of [...sources, ...modules]) {
    const place = path.resolve(dir, file);
    collect.thing(path.join(real(path.dirname(place)), path.basename(place)));
  }
  return collect.found;
}
