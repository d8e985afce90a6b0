// The task, put together from parts that have all been found good.
import os from "node:os";
import path from "node:path";
import { iterationLimit } from "#rules/iteration-limit";
import type { Component, GateSpec, Task } from "#spec/task";
import { BUILT_IN_LAYER } from "./layers.ts";
import { child, type Located, textOf } from "./located.ts";
import type { ReadNotify } from "./notify-schema.ts";
import type { MergedTask } from "./schema.ts";

const NOT_WRITTEN: Partial<Task["isolation"]> = {};

interface Ingredients {
  readonly tree: Located;
  readonly written: MergedTask;
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
}

export function assembleTask(ingredients: Ingredients): Task {
  const { tree, written, prompt, agents, strategy, memory, gates, template, dir } = ingredients;
  const { protect, cleanRoom, deliver, notify } = ingredients;
  const workspace = workspaceOf(written, dir);
  return {
    prompt,
    agents,
    rotate: written.rotate ?? false,
    context: written.context ?? "fresh",
    isolation: isolationOf(written.isolation, child(tree, "isolation")),
    secrets: secretsOf(written, notify),
    prices: written.prices ?? {},
    gates,
    strategy,
    memory,
    workspace,
    limits: limitsOf(tree, written, strategy),
    until: written.until ?? [],
    baseline: written.baseline ?? true,
    ...(written.allowErroredBaseline && { allowErroredBaseline: true as const }),
    requireChange: written.requireChange ?? false,
    requirePromise: written.requirePromise ?? false,
    ignorePreexisting: written.ignorePreexisting ?? false,
    onDivergence: written.onDivergence ?? "keep-last",
    // A worktree or a clone is ours to put back; in place, the files are the user's.
    onResume: written.onResume ?? (isOurs(workspace) ? "restore" : "keep"),
    ...(protect && { protect }),
    ...(cleanRoom && { cleanRoom }),
    ...(deliver && { deliver }),
    feedback: written.feedback,
    ...(template === undefined ? {} : { template }),
    ...(written.promise === undefined ? {} : { promise: written.promise }),
    vars: written.vars ?? {},
    files: absoluteFiles(child(tree, "files")),
    hooks: hooksOf(written.hooks),
    ...(notify.notify.length > 0 && { notify: notify.notify }),
    ...(written.telemetry && { telemetry: written.telemetry }),
  };
}

/** One number of iterations for the whole run; those of built-in layers are defaults, and any other replaces them. */
function limitsOf(tree: Located, { limits }: MergedTask, strategy: Component): Task["limits"] {
  const node = child(child(tree, "limits"), "iterations");
  const given = node === undefined || node.keyAt === BUILT_IN_LAYER ? undefined : limits.iterations;
  return { ...limits, iterations: iterationLimit(strategy, given, limits.iterations) };
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

const isOurs = ({ type, git }: Task["workspace"]): boolean => type === "worktree" || git !== undefined;

/** Those that are named, and those that other parts of the task are signed or let in with. */
function secretsOf({ secrets = [], telemetry }: MergedTask, notify: ReadNotify): readonly string[] {
  const headers = telemetry !== undefined && telemetry !== "off" ? telemetry.headersEnv : undefined;
  return [...new Set([...secrets, ...notify.secrets, ...(headers ? [headers] : [])])];
}

/** Folders that may be written start from the folder of the layer that wrote them. */
function isolationOf(written: MergedTask["isolation"], node: Located | undefined): Task["isolation"] {
  const { type = "auto", network = true, writable = [], require } = { ...NOT_WRITTEN, ...written };
  return {
    type,
    network,
    writable: writable.map((folder) => fromHere(child(node, "writable")?.dir ?? "", folder)),
    ...(require && { require }),
  };
}

/** `~/` is the home folder, as in a shell. */
function fromHere(dir: string, folder: string): string {
  return folder.startsWith("~/") ? path.join(os.homedir(), folder.slice(2)) : path.resolve(dir, folder);
}

/** Each path starts from the folder of the layer that wrote it. */
function absoluteFiles(node: Located | undefined): Task["files"] {
  const entries = node?.kind === "map" ? [...node.entries] : [];
  return Object.fromEntries(
    entries.map(([name, file]) => [name, path.resolve(file.dir, textOf(file) ?? "")]),
  );
}

function hooksOf({ end, escalate }: NonNullable<MergedTask["hooks"]> = {}): Task["hooks"] {
  return { ...(end === undefined ? {} : { end }), ...(escalate === undefined ? {} : { escalate }) };
}
