// Writes real files to a temporary folder, and provides registries like the built-in ones.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { z } from "zod";
import { builtIns, type Registries } from "#catalog/built-ins";
import { createRegistry } from "#catalog/registry";
import type { TaskSource } from "#config/layers";
import { type ReadTask, readTask } from "#config/read-task";
import { duration } from "#options/duration";
import { ConfigError } from "#spec/errors";

export const EXAMPLE = `prompt: Make the tests pass without changing them.
agent: claude
workspace: in-place
strategy: {type: hybrid, baseIterations: 3, bonusIterations: 2}
gates:
  - name: tests
    type: command
    command: npm test
    timeout: 5m
    onFailure: {action: iterate, maxAttempts: 5}
limits: {iterations: 20, time: 2h, cost: 20}
memory: {type: captured, entries: 5, chars: 500}
template: prompts/fix.hbs
`;

const never = (): never => {
  throw new Error("reading a task makes nothing");
};

type Types = Readonly<Record<string, z.ZodType | undefined>>;

/** A registry with its own option schemas, and the traits of the built-in types of the same name. */
function catalogue<Kind extends keyof Registries>(kind: Kind, types: Types) {
  const known = builtIns()[kind];
  const registry = createRegistry<never, undefined>(known.kind);
  for (const [type, options] of Object.entries(types))
    registry.register(type, { ...(options ? { options } : {}), traits: known.traits(type), create: never });
  return registry;
}

const registries = {
  agents: catalogue("agents", {
    claude: z.strictObject({ model: z.string().optional(), args: z.array(z.string()).optional() }),
    command: z.strictObject({ command: z.string() }),
    open: undefined,
  }),
  gates: catalogue("gates", {
    command: z.strictObject({
      command: z.union([z.string(), z.array(z.string())]),
      timeout: duration.optional(),
      exitCode: z.int().min(0).max(255).optional(),
    }),
    approval: z.strictObject({ message: z.string().optional() }),
  }),
  strategies: catalogue("strategies", {
    fixed: z.strictObject({ iterations: z.int().min(1) }),
    hybrid: z.strictObject({
      baseIterations: z.int().min(1).optional(),
      bonusIterations: z.int().min(0).optional(),
    }),
    custom: z.strictObject({
      module: z.string(),
      export: z.string().optional(),
      config: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
  memories: catalogue("memories", {
    captured: z.strictObject({ entries: z.int().min(1).optional(), chars: z.int().min(1).optional() }),
    structured: z.strictObject({}),
  }),
};

/** Holds the folders of one test file; deleted when the file is done. */
const root = mkdtempSync(path.join(tmpdir(), "converge-config-"));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

export function folder(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(path.join(root, "folder-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

/** Reads a task with a gate in the lowest layer, because a task without gates is rejected. */
export function read(source: TaskSource): Promise<ReadTask> {
  return readTask({ ...source, defaults: { gates: ["true"], ...source.defaults } }, registries);
}

/** Reads the task of a converge.yaml in an otherwise empty folder. */
export async function readYaml(text: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = folder({ "converge.yaml": text, ...files });
  return { cwd, ...(await read({ cwd, file: "converge.yaml" })) };
}

export async function problemsOf(reading: Promise<unknown>): Promise<readonly string[]> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw error ?? new Error("the task was accepted");
  return error.problems;
}

export const problemsIn = (text: string, files: Readonly<Record<string, string>> = {}) =>
  problemsOf(readYaml(text, files));
