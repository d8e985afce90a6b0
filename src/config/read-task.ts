// From files and flags to a task: everything resolved and frozen, or a ConfigError that names every mistake.
import path from "node:path";
import type { Task } from "#spec/task";
import { assembleTask } from "./assemble-task.ts";
import { checkCleanRoom, findCleanRoom, gatesInRooms } from "./clean-room.ts";
import {
  checkBaseline,
  checkCriteria,
  checkIsolation,
  checkPolicies,
  checkPresent,
  checkPromise,
  checkRepository,
  checkRotation,
  checkUntil,
  workspaceDir,
} from "./cross-checks.ts";
import { findProtect } from "./find-protect.ts";
import { findShellProblems } from "./gate-shell.ts";
import { check } from "./issues.ts";
import { readLayers, shownIn, type TaskSource } from "./layers.ts";
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
  /** The task for files in this folder: what is protected is found there. */
  readonly lyingIn: (dir: string) => Promise<Task>;
  /** SHA-256 of the task, whatever order its keys were written in. */
  readonly hash: string;
  readonly inline: Inline;
  /** URLs that notifications are sent to, by the names that the task has for them. */
  readonly addresses: Readonly<Record<string, string>>;
  /** The files that were read. */
  readonly sources: readonly string[];
  readonly warnings: readonly string[];
  /** What was chosen because nobody said. */
  readonly notes: readonly string[];
}

export async function readTask(source: TaskSource, registries: Registries): Promise<ReadTask> {
  const problems = collectProblems();
  const { tree, sources, notes = [] } = await readLayers(source, problems);
  if (tree === undefined) throw problems.error();
  const shown = (file: string) => shownIn(source.cwd, file);
  const reading = { tree, problems, sources: [...sources], shown };
  const written = parseMerged(tree, problems);
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
  checkPolicies(tree, problems);
  checkCriteria(
    tree,
    gates.specs.map((gate) => gate.use.type),
    problems,
  );
  checkPresent(tree, placeOf(source), registries.agents.list(), problems);
  refuseWithoutGates(tree, placeOf(source), strategy, problems);
  const specs = gatesInRooms(withTimeout(gates.specs, written?.gateTimeout), written?.cleanRoom);
  const rooms = { written: written?.cleanRoom, gates: specs, dir };
  const shell = findShellProblems(specs, process.env.PATH ?? "");
  const items = child(tree, "gates");
  for (const { gate, message } of shell.refused)
    problems.add((items?.kind === "list" ? items.items[gate] : items)?.valueAt ?? placeOf(source), message);
  // A gate with something wrong in it may be the one that the options are for.
  if (problems.none) checkCleanRoom(tree, rooms, problems);
  if (!problems.none || !written || prompt === undefined || !agents || !strategy || !memory)
    throw problems.error();
  const notify = readNotify(written.notify);
  const protectIn = (place: string) =>
    findProtect({ written: written.protect, gates: specs, dir: place, sources, strategy, prompt });
  const assemble = (place: string, protect: Task["protect"]): Task =>
    assembleTask({
      ...{ tree, written, prompt, agents, strategy, memory, template, notify },
      dir: place,
      protect,
      cleanRoom: findCleanRoom({ ...rooms, dir: place }),
      gates: specs,
      deliver: readDeliver(written.deliver, child(tree, "deliver"), dir),
    });
  const found = await protectIn(dir);
  const task = assemble(dir, found.protect);
  return {
    task,
    lyingIn: async (place) => assemble(place, (await protectIn(place)).protect),
    hash: taskHash(task),
    inline: { ...inline, gates: gates.inline },
    addresses: notify.addresses,
    sources: reading.sources,
    // A repository that is fetched later is classified when it is there.
    warnings: [...warningsFor(task), ...shell.warnings, ...(task.workspace.git ? [] : found.warnings)],
    notes,
  };
}

function warningsFor({ gates, agents, isolation, requirePromise }: Task): string[] {
  const free = agents.filter(({ permissions }) => permissions === "all").map(({ type }) => type);
  const shutOff = isolation.type === "strict" || isolation.type === "runtime";
  return [
    // Who asks for the promise has said what is to be believed.
    ...(gates.length === 0 && !requirePromise ? ["no gates: nothing will be verified"] : []),
    ...(free.length > 0 && !shutOff
      ? [
          `permissions: all lets ${free.join(", ")} do whatever you may, and nothing holds it; "isolation: strict" would keep it to the workspace`,
        ]
      : []),
  ];
}

function parseMerged(tree: LocatedMap, problems: Problems): MergedTask | undefined {
  const checked = check<MergedTask>(mergedTask, plainValue(tree));
  if (checked.ok) return checked.data;
  // The layers have been checked one by one; what is wrong in them has been said, where it stands.
  if (problems.none) problems.found(tree, checked.findings);
  return undefined;
}

/** The folder that the task is about, unless it names another. */
function homeOf({ file, cwd }: TaskSource): string {
  return file === undefined ? path.resolve(cwd) : path.dirname(path.resolve(cwd, file));
}

/** Where a key that is missing would best be written. */
function placeOf({ file, cwd, origin }: TaskSource): string {
  return file === undefined ? (origin ?? "command line") : shownIn(cwd, path.resolve(cwd, file));
}
