// Reads a task from files and flags: resolves and validates everything, or throws a ConfigError that lists every mistake.
import path from "node:path";
import { check } from "#options/issues";
import type { Component, GateSpec, Task } from "#spec/task";
import { assembleTask, taskHash } from "./assemble-task.ts";
import { applyCleanRoom, checkCleanRoom, findCleanRoom } from "./clean-room.ts";
import {
  checkBaseline,
  checkGates,
  checkNeededGates,
  checkPolicies,
  checkPresent,
  checkPromise,
  checkRotation,
  checkSecrets,
  checkUntil,
} from "./cross-checks.ts";
import { checkDeliver, resolveDeliver } from "./delivery.ts";
import { findProtect, type SteeringFiles } from "./find-protect.ts";
import { findShellProblems } from "./gate-shell.ts";
import { displayPath, readLayers, type TaskSource } from "./layers.ts";
import { child, collectProblems, type LocatedMap, plainValue, type TaskReader } from "./located.ts";
import { type ReadNotify, readNotify } from "./notifications.ts";
import { checkFeedbackTemplates, checkVariableNames, readPrompt, readTemplate } from "./prompt-texts.ts";
import { readGates, withTimeout } from "./read-gates.ts";
import { type Inline, type Registries, readParts } from "./read-parts.ts";
import { type MergedTask, mergedTask } from "./task-options.ts";
import { checkIsolation, checkRepository, findWorkspaceDir } from "./workspace.ts";

export interface ReadTask {
  readonly task: Task;
  /** Resolves the task for another folder, where it finds the protected files. */
  readonly taskIn: (dir: string) => Promise<Task>;
  /** SHA-256 of the task, independent of key order. */
  readonly hash: string;
  readonly inline: Inline;
  /** Notification URLs by the keys that the task stores instead of them. */
  readonly addresses: Readonly<Record<string, string>>;
  /** The files that were read. */
  readonly sources: readonly string[];
  /** Files that verdicts depend on, by the traits of the gates. */
  readonly steeringFiles: SteeringFiles;
  readonly warnings: readonly string[];
  /** Defaults that Converge chose, to show to the user. */
  readonly notes: readonly string[];
}

export async function readTask(source: TaskSource, registries: Registries): Promise<ReadTask> {
  const problems = collectProblems();
  const { tree, sources: layerFiles, notes = [] } = await readLayers(source, problems);
  if (tree === undefined) throw problems.error();
  const reader = { tree, problems, where: placeOf(source) };
  const contents = await readContents(reader, { source, registries, layerFiles });
  checkContents(reader, contents, registries);
  const shellWarnings = checkShellGates(reader, contents.gates.specs);
  // Skipped when there are problems: an invalid gate may be the one that uses the clean room.
  const draft = problems.none ? toDraft(reader, contents, registries) : undefined;
  if (draft) checkCleanRoom(reader, { option: draft.merged.cleanRoom, gates: draft.gates, dir: draft.dir });
  if (!draft || !problems.none) throw problems.error();
  const { task, warnings } = await resolveTask(draft, draft.dir);
  return {
    task,
    taskIn: async (dir) => (await resolveTask(draft, dir)).task,
    hash: taskHash(task),
    inline: { ...contents.parts.inline, gates: contents.gates.inline },
    addresses: draft.notify.addresses,
    sources: contents.files,
    steeringFiles: draft.steeringFiles,
    // A git repository is classified later, after it is cloned.
    warnings: [...warningsFor(task), ...shellWarnings, ...(task.workspace.git ? [] : warnings)],
    notes,
  };
}

/** What the task says, as far as it can be read. */
interface Contents {
  readonly merged: MergedTask | undefined;
  readonly parts: ReturnType<typeof readParts>;
  readonly gates: ReturnType<typeof readGates>;
  readonly prompt: string | undefined;
  readonly template: Task["template"];
  /** The folder of the workspace. */
  readonly dir: string;
  /** The task files. */
  readonly layerFiles: readonly string[];
  /** All files that were read. */
  readonly files: readonly string[];
}

interface ContentsSource extends Pick<Contents, "layerFiles"> {
  readonly source: TaskSource;
  readonly registries: Registries;
}

async function readContents(
  reader: TaskReader,
  { source, registries, layerFiles }: ContentsSource,
): Promise<Contents> {
  const files = [...layerFiles];
  const texts = { ...reader, sources: files, nameOf: (file: string) => displayPath(source.cwd, file) };
  return {
    merged: parseMerged(reader),
    parts: readParts(reader, registries),
    gates: readGates(reader, registries.gates),
    prompt: await readPrompt(texts),
    template: await readTemplate(texts),
    dir: await findWorkspaceDir(reader, homeOf(source)),
    layerFiles,
    files,
  };
}

/** Checks the rules that involve several keys. */
function checkContents(reader: TaskReader, { gates, parts, prompt }: Contents, registries: Registries): void {
  checkFeedbackTemplates(reader);
  checkVariableNames(reader);
  checkUntil(reader, gates.names);
  checkBaseline(reader);
  checkRotation(reader);
  checkPromise(reader, prompt);
  checkSecrets(reader);
  checkIsolation(reader);
  checkDeliver(reader);
  checkRepository(reader);
  checkPolicies(reader, registries.gates);
  const { strategies } = registries;
  checkNeededGates(reader, { strategies, types: gates.specs.map((gate) => gate.use.type) });
  checkPresent(reader, registries.agents.list());
  // A strategy that cannot be read is a problem of its own.
  const { strategy } = parts;
  checkGates(reader, (strategy && strategies.traits(strategy.type).needsGates?.(strategy)) ?? false);
}

/** Rejects commands that would hide failing tests. Returns the warnings about others. */
function checkShellGates(
  { tree, problems, where }: TaskReader,
  gates: readonly GateSpec[],
): readonly string[] {
  const { refused, warnings } = findShellProblems(gates, process.env.PATH ?? "");
  const list = child(tree, "gates");
  for (const { gate, message } of refused)
    problems.add((list?.kind === "list" ? list.items[gate] : list)?.valueAt ?? where, message);
  return warnings;
}

/** A valid task for any folder. */
interface Draft extends Pick<Contents, "template" | "dir" | "layerFiles"> {
  readonly tree: LocatedMap;
  readonly merged: MergedTask;
  readonly prompt: string;
  readonly agents: Task["agents"];
  readonly strategy: Component;
  readonly memory: Component;
  readonly gates: readonly GateSpec[];
  readonly notify: ReadNotify;
  readonly steeringFiles: SteeringFiles;
  /** Number of iterations that the strategy grants, if any. */
  readonly granted: number | undefined;
}

/** Undefined when something is missing. */
function toDraft({ tree }: TaskReader, contents: Contents, registries: Registries): Draft | undefined {
  const { merged, parts, prompt, template, dir, layerFiles } = contents;
  const { agents, strategy, memory } = parts;
  if (!merged || prompt === undefined || !agents || !strategy || !memory) return undefined;
  const specs = withTimeout(contents.gates.specs, merged.gateTimeout);
  return {
    ...{ tree, merged, prompt, agents, strategy, memory, template, dir, layerFiles },
    gates: applyCleanRoom(specs, merged.cleanRoom, registries.gates),
    notify: readNotify(merged.notify),
    steeringFiles: specs.flatMap(({ use }) => registries.gates.traits(use.type).steeringFiles ?? []),
    granted: registries.strategies.traits(strategy.type).iterations?.(strategy),
  };
}

/** Resolves what depends on the folder: protected files, setup of a clean room. */
async function resolveTask(draft: Draft, dir: string) {
  const { tree, merged, notify, granted, steeringFiles, layerFiles } = draft;
  const { prompt, agents, strategy, memory, gates, template } = draft;
  const { protect, warnings } = await findProtect({
    ...{ option: merged.protect, gates, strategy, prompt },
    ...{ dir, sources: layerFiles, steeringFiles },
  });
  const cleanRoom = findCleanRoom({ option: merged.cleanRoom, gates, dir });
  const deliver = resolveDeliver(merged.deliver, child(tree, "deliver"), draft.dir);
  const fields = { prompt, agents, strategy, memory, gates, template, protect, cleanRoom, deliver };
  return { task: assembleTask({ tree, merged, fields, notify, granted, dir }), warnings };
}

function warningsFor({ gates, agents, isolation, requirePromise }: Task): string[] {
  const unrestricted = agents.filter(({ permissions }) => permissions === "all").map(({ type }) => type);
  const isSandboxed = isolation.type === "strict" || isolation.type === "runtime";
  return [
    // With requirePromise, the user trusts the agent's promise.
    ...(gates.length === 0 && !requirePromise ? ["no gates: nothing will be verified"] : []),
    ...(unrestricted.length > 0 && !isSandboxed
      ? [
          `permissions: all lets ${unrestricted.join(", ")} do whatever you can do, without a sandbox; "isolation: strict" restricts it to the workspace`,
        ]
      : []),
  ];
}

function parseMerged({ tree, problems }: TaskReader): MergedTask | undefined {
  const checked = check<MergedTask>(mergedTask, plainValue(tree));
  if (checked.ok) return checked.data;
  // Each layer was validated on its own, so its problems are already listed at their locations.
  if (problems.none) problems.addFindings(tree, checked.findings);
  return undefined;
}

/** Default workspace folder: the folder of the task file, else the current one. */
function homeOf({ file, cwd }: TaskSource): string {
  return file === undefined ? path.resolve(cwd) : path.dirname(path.resolve(cwd, file));
}

/** Location for messages about a missing key. */
function placeOf({ file, cwd, origin }: TaskSource): string {
  return file === undefined ? (origin ?? "command line") : displayPath(cwd, path.resolve(cwd, file));
}
