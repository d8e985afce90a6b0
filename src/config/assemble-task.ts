// Assembles a task from validated parts and fills in the defaults.
import os from "node:os";
import path from "node:path";
import { iterationLimit } from "#rules/iteration-limit";
import type { Component, GateSpec, Task } from "#spec/task";
import { BUILT_IN_LAYER } from "./layers.ts";
import { child, type Located, textOf } from "./located.ts";
import type { ReadNotify } from "./notify-schema.ts";
import type { MergedTask } from "./schema.ts";

const NO_ISOLATION: Partial<Task["isolation"]> = {};

interface Ingredients {
  readonly tree: Located;
  readonly merged: MergedTask;
  readonly prompt: string;
  readonly agents: readonly Component[];
  readonly strategy: Component;
  readonly memory: Component;
  readonly gates: readonly GateSpec[];
  readonly template: Task["template"];
  readonly dir: string;
  readonly protect: Task["protect"];
  readonly cleanRoom: Task["cleanRoom"];
  readonly deliver: Task["deliver"];
  readonly notify: ReadNotify;
  /** Number of iterations that the strategy grants, if any. */
  readonly granted: number | undefined;
}

export function assembleTask(ingredients: Ingredients): Task {
  const { tree, merged, prompt, agents, strategy, memory, gates, template, dir } = ingredients;
  const { protect, cleanRoom, deliver, notify, granted } = ingredients;
  const workspace = workspaceOf(merged, dir);
  return {
    prompt,
    agents,
    rotate: merged.rotate ?? false,
    context: merged.context ?? "fresh",
    isolation: isolationOf(merged.isolation, child(tree, "isolation")),
    secrets: secretsOf(merged, notify),
    prices: merged.prices ?? {},
    gates,
    strategy,
    memory,
    workspace,
    limits: limitsOf(tree, merged, granted),
    until: merged.until ?? [],
    baseline: merged.baseline ?? true,
    ...(merged.allowErroredBaseline && { allowErroredBaseline: true as const }),
    requireChange: merged.requireChange ?? false,
    requirePromise: merged.requirePromise ?? false,
    ignorePreexisting: merged.ignorePreexisting ?? false,
    onDivergence: merged.onDivergence ?? "keep-last",
    // Converge may restore a worktree or a clone; files in place belong to the user.
    onResume: merged.onResume ?? (isManaged(workspace) ? "restore" : "keep"),
    ...(protect && { protect }),
    ...(cleanRoom && { cleanRoom }),
    ...(deliver && { deliver }),
    feedback: merged.feedback,
    ...(template === undefined ? {} : { template }),
    ...(merged.promise === undefined ? {} : { promise: merged.promise }),
    vars: merged.vars ?? {},
    files: absoluteFiles(child(tree, "files")),
    hooks: hooksOf(merged.hooks),
    ...(notify.notify.length > 0 && { notify: notify.notify }),
    ...(merged.telemetry && { telemetry: merged.telemetry }),
  };
}

/** Resolves the iteration limit. Built-in layers only give defaults, which any other layer replaces. */
function limitsOf(tree: Located, { limits }: MergedTask, granted: number | undefined): Task["limits"] {
  const node = child(child(tree, "limits"), "iterations");
  const explicitLimit = node === undefined || node.keyAt === BUILT_IN_LAYER ? undefined : limits.iterations;
  return { ...limits, iterations: iterationLimit(granted, explicitLimit, limits.iterations) };
}

function workspaceOf({ workspace }: MergedTask, dir: string): Task["workspace"] {
  const { type = "in-place", git, ref = "main", snapshots } = workspace ?? {};
  return {
    type,
    dir,
    ...(git !== undefined && { git: { url: git, ref } }),
    ...(snapshots !== undefined && { snapshots }),
  };
}

const isManaged = ({ type, git }: Task["workspace"]): boolean => type === "worktree" || git !== undefined;

/** Names of secret variables: the listed ones, and those that notifications and telemetry use. */
function secretsOf({ secrets = [], telemetry }: MergedTask, notify: ReadNotify): readonly string[] {
  const headers = telemetry !== undefined && telemetry !== "off" ? telemetry.headersEnv : undefined;
  return [...new Set([...secrets, ...notify.secrets, ...(headers ? [headers] : [])])];
}

/** Resolves writable folders relative to the layer that names them. */
function isolationOf(isolation: MergedTask["isolation"], node: Located | undefined): Task["isolation"] {
  const { type = "auto", network = true, writable = [], require } = { ...NO_ISOLATION, ...isolation };
  return {
    type,
    network,
    writable: writable.map((folder) => resolveFolder(child(node, "writable")?.dir ?? "", folder)),
    ...(require && { require }),
  };
}

/** Resolves a folder; expands `~/` to the home folder. */
function resolveFolder(dir: string, folder: string): string {
  return folder.startsWith("~/") ? path.join(os.homedir(), folder.slice(2)) : path.resolve(dir, folder);
}

/** Resolves each path relative to the layer that names it. */
function absoluteFiles(node: Located | undefined): Task["files"] {
  const entries = node?.kind === "map" ? [...node.entries] : [];
  return Object.fromEntries(
    entries.map(([name, file]) => [name, path.resolve(file.dir, textOf(file) ?? "")]),
  );
}

function hooksOf({ end, escalate }: NonNullable<MergedTask["hooks"]> = {}): Task["hooks"] {
  return { ...(end === undefined ? {} : { end }), ...(escalate === undefined ? {} : { escalate }) };
}
