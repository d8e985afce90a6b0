// Reads a task from files and flags: resolves and validates everything, or throws a ConfigError that lists every mistake.
import path from "node:path";
import { check } from "#options/issues";
import type { Task } from "#spec/task";
import { assembleTask } from "./assemble-task.ts";
import { applyCleanRoom, checkCleanRoom, findCleanRoom } from "./clean-room.ts";
import {
  checkBaseline,
  checkIsolation,
  checkNeededGates,
  checkPolicies,
  checkPresent,
  checkPromise,
  checkRepository,
  checkRotation,
  checkUntil,
  workspaceDir,
} from "./cross-checks.ts";
import { findProtect, type SteeringFiles } from "./find-protect.ts";
import { findShellProblems } from "./gate-shell.ts";
import { displayPath, readLayers, type TaskSource } from "./layers.ts";
import { child, type LocatedMap, plainValue } from "./located.ts";
import { readNotify } from "./notify-schema.ts";
import { collectProblems, type Problems } from "./problems.ts";
import { checkDeliver, readDeliver } from "./read-delivery.ts";
import { readGates, withTimeout } from "./read-gates.ts";
import { type Inline, type Registries, readParts } from "./read-parts.ts";
import { checkFeedbackTemplates, checkVariableNames, readPrompt, readTemplate } from "./read-texts.ts";
import { checkSecrets } from "./refuse-secrets.ts";
import { refuseWithoutGates } from "./refuse-without-gates.ts";
import { type MergedTask, mergedTask } from "./schema.ts";
import { taskHash } from "./task-hash.ts";

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
  const { tree, sources, notes = [] } = await readLayers(source, problems);
  if (tree === undefined) throw problems.error();
  const nameOf = (file: string) => displayPath(source.cwd, file);
  const reading = { tree, problems, sources: [...sources], nameOf };
  const merged = parseMerged(tree, problems);
  const { inline, agents, strategy, memory } = readParts(tree, registries, problems);
  const gates = readGates(tree, registries.gates, problems);
  const prompt = await readPrompt(reading);
  const template = await readTemplate(reading);
  const dir = await workspaceDir(tree, homeOf(source), problems);
  checkFeedbackTemplates(tree, problems);
  checkVariableNames(tree, problems);
  checkUntil(tree, gates.names, problems);
  checkBaseline(tree, problems);
  checkRotation(tree, problems);
  checkPromise(tree, prompt, problems);
  checkSecrets(tree, problems);
  checkIsolation(tree, problems);
  checkDeliver(tree, problems);
  checkRepository(tree, problems);
  checkPolicies(tree, registries.gates, problems);
  const types = gates.specs.map((gate) => gate.use.type);
  checkNeededGates(tree, { strategies: registries.strategies, types }, problems);
  checkPresent(tree, placeOf(source), registries.agents.list(), problems);
  // A strategy that cannot be read is a problem of its own.
  const { needsGates, iterations } = registries.strategies.traits(strategy?.type ?? "");
  refuseWithoutGates(tree, placeOf(source), (strategy && needsGates?.(strategy)) ?? false, problems);
  const specs = applyCleanRoom(
    withTimeout(gates.specs, merged?.gateTimeout),
    merged?.cleanRoom,
    registries.gates,
  );
  const steeringFiles = types.flatMap((type) => registries.gates.traits(type).steeringFiles ?? []);
  const cleanRoomSource = { option: merged?.cleanRoom, gates: specs, dir };
  const shell = findShellProblems(specs, process.env.PATH ?? "");
  const items = child(tree, "gates");
  for (const { gate, message } of shell.refused)
    problems.add((items?.kind === "list" ? items.items[gate] : items)?.valueAt ?? placeOf(source), message);
  // Skipped when there are problems: an invalid gate may be the one that uses the clean room.
  if (problems.none) checkCleanRoom(tree, cleanRoomSource, problems);
  if (!problems.none || !merged || prompt === undefined || !agents || !strategy || !memory)
    throw problems.error();
  const notify = readNotify(merged.notify);
  const findProtectIn = (place: string) =>
    findProtect({
      option: merged.protect,
      gates: specs,
      dir: place,
      sources,
      strategy,
      prompt,
      steeringFiles,
    });
  const assemble = (place: string, protect: Task["protect"]): Task =>
    assembleTask({
      ...{ tree, merged, prompt, agents, strategy, memory, template, notify },
      granted: iterations?.(strategy),
      dir: place,
      protect,
      cleanRoom: findCleanRoom({ ...cleanRoomSource, dir: place }),
      gates: specs,
      deliver: readDeliver(merged.deliver, child(tree, "deliver"), dir),
    });
  const resolved = await findProtectIn(dir);
  const task = assemble(dir, resolved.protect);
  return {
    task,
    taskIn: async (place) => assemble(place, (await findProtectIn(place)).protect),
    hash: taskHash(task),
    inline: { ...inline, gates: gates.inline },
    addresses: notify.addresses,
    sources: reading.sources,
    steeringFiles,
    // A git repository is classified later, after it is cloned.
    warnings: [...warningsFor(task), ...shell.warnings, ...(task.workspace.git ? [] : resolved.warnings)],
    notes,
  };
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

function parseMerged(tree: LocatedMap, problems: Problems): MergedTask | undefined {
  const checked = check<MergedTask>(mergedTask, plainValue(tree));
  if (checked.ok) return checked.data;
  // Each layer was validated on its own, so its problems are already listed at their locations.
  if (problems.none) problems.found(tree, checked.findings);
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
