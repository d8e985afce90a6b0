// Assembles a task from the options of the merged layers and the parts that were read, and hashes it.
import { createHash } from "node:crypto";
import path from "node:path";
import { dropUndefined } from "#options/option";
import { iterationLimit } from "#rules/iteration-limit";
import { TASK_DEFAULTS, type Task } from "#spec/task";
import { isObject } from "#text/json";
import { BUILT_IN_LAYER } from "./layers.ts";
import { child, type Located, textOf } from "./located.ts";
import type { ReadNotify } from "./notifications.ts";
import { type MergedTask, mergedTask } from "./task-options.ts";
import { isolationSpec, resolveWorkspace } from "./workspace.ts";

/** Fields that other files of this room resolve. */
type ResolvedFields = {
  readonly [Field in
    | ("prompt" | "agents" | "gates" | "strategy" | "memory")
    | ("protect" | "cleanRoom" | "deliver" | "template")]: Task[Field];
};

interface Ingredients {
  readonly tree: Located;
  readonly merged: MergedTask;
  readonly fields: ResolvedFields;
  readonly notify: ReadNotify;
  /** Number of iterations that the strategy grants, if any. */
  readonly granted: number | undefined;
  /** The folder of the workspace. */
  readonly dir: string;
}

/** An option with the name of a field of `Task` becomes that field, unless it is resolved here or in `fields`. */
export function assembleTask({ tree, merged, fields, notify, granted, dir }: Ingredients): Task {
  const { promptFile, agent, gateTimeout, allowErroredBaseline, ...options } = merged;
  const workspace = resolveWorkspace(merged.workspace, dir);
  const task = dropUndefined({
    ...options,
    ...fields,
    workspace,
    isolation: isolationSpec(merged.isolation, child(tree, "isolation")),
    secrets: secretNames(merged, notify),
    limits: resolveLimits(tree, merged, granted),
    allowErroredBaseline: allowErroredBaseline ? (true as const) : undefined,
    // Converge may restore a worktree or a clone; files in place belong to the user.
    onResume: merged.onResume ?? (isManaged(workspace) ? "restore" : TASK_DEFAULTS.onResume),
    files: absoluteFiles(child(tree, "files")),
    notify: notify.notify.length > 0 ? notify.notify : undefined,
  });
  return inDeclaredOrder(task);
}

/** Sorts the fields like their options, so that people find them in the same place. */
function inDeclaredOrder(task: Task): Task {
  const fields = Object.entries(task);
  const order = Object.keys(mergedTask.shape);
  return Object.fromEntries(
    fields.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)),
  ) as unknown as Task;
}

/** Resolves the iteration limit. Built-in layers only give defaults, which any other layer replaces. */
function resolveLimits(tree: Located, { limits }: MergedTask, granted: number | undefined): Task["limits"] {
  const node = child(child(tree, "limits"), "iterations");
  const explicitLimit = node === undefined || node.keyAt === BUILT_IN_LAYER ? undefined : limits.iterations;
  return { ...limits, iterations: iterationLimit(granted, explicitLimit, limits.iterations) };
}

const isManaged = ({ type, git }: Task["workspace"]): boolean => type === "worktree" || git !== undefined;

/** Names of secret variables: the listed ones, and those that notifications and telemetry use. */
function secretNames({ secrets, telemetry }: MergedTask, notify: ReadNotify): readonly string[] {
  const headers = telemetry !== undefined && telemetry !== "off" ? telemetry.headersEnv : undefined;
  return [...new Set([...secrets, ...notify.secrets, ...(headers ? [headers] : [])])];
}

/** Resolves each path relative to the layer that names it. */
function absoluteFiles(node: Located | undefined): Task["files"] {
  const entries = node?.kind === "map" ? [...node.entries] : [];
  return Object.fromEntries(
    entries.map(([name, file]) => [name, path.resolve(file.dir, textOf(file) ?? "")]),
  );
}

/** SHA-256 of a task, independent of its key order. */
export function taskHash(task: Task): string {
  return createHash("sha256").update(toSortedJson(task)).digest("hex");
}

function toSortedJson(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    isObject(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))) : entry,
  );
}
