// Finds the protected files: those that the task file lists, or those that the classifier finds for its gates. Explains
// why a file is protected or not.
import fs from "node:fs";
import path from "node:path";
import { type Classifier, openClassifier } from "#classify/classify";
import type { GateCommand } from "#classify/commands/follow";
import { looksLikeCheck } from "#classify/commands/programs";
import { literal } from "#classify/shared/glob";
import type { Rule } from "#classify/shared/rule";
import type { GateTraits } from "#options/part";
import { protectsTests } from "#rules/cautions";
import { UsageError } from "#spec/errors";
import type { Classified } from "#spec/file-class";
import type { Component, GateSpec, Protect, Protection, Task } from "#spec/task";
import { pathInside } from "#system/inside";
import { protectionName } from "#text/protection-name";
import { matcher } from "#workspaces/protect/matcher";
import type { ProtectOption } from "./protect-options.ts";

const COMMAND_KEYS = ["command", "commands", "setup"];
const FIXTURE_KEYS = ["schema", "equals"];
/** Maps whose `file` is an input of the gate, not something that the agent creates. */
const INPUT_KEYS = ["stdin", "equals"];

interface GateFiles {
  readonly commands: readonly GateCommand[];
  /** Relative to the workspace. */
  readonly files: readonly string[];
}

function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}

/** Files that one option of a gate compares with. */
function comparedFiles(key: string, value: unknown): string[] {
  if (FIXTURE_KEYS.includes(key) && typeof value !== "object") return textsIn(value);
  // The file may also be one that the agent is asked to create.
  if (key === "file") return textsIn(value).filter(looksLikeCheck);
  return INPUT_KEYS.includes(key) ? textsIn((value as { readonly file?: unknown } | null)?.file) : [];
}

function commandsOf(key: string, value: unknown): (string | readonly string[])[] {
  if (key === "command" && Array.isArray(value)) return [textsIn(value)];
  return COMMAND_KEYS.includes(key) ? textsIn(value) : [];
}

/** Collects the commands, and the files to compare with, from the options of all gates. */
function readGateFiles(gates: readonly GateSpec[], dir: string): GateFiles {
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

export type SteeringFiles = NonNullable<GateTraits["steeringFiles"]>;

interface ProtectSource {
  readonly option: ProtectOption;
  readonly gates: readonly GateSpec[];
  /** The workspace. */
  readonly dir: string;
  /** Task files that were read. */
  readonly sources: readonly string[];
  readonly strategy: Component;
  readonly prompt: string;
  /** Files that verdicts depend on, by the traits of the gates. */
  readonly steeringFiles?: SteeringFiles;
}

interface ResolvedProtect {
  readonly protect?: Protect;
  /** Shown before an agent starts. */
  readonly warnings: readonly string[];
}

/** Resolves symlinks of a folder; falls back to the given path. */
function realFolder(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Removes duplicates; the last entry for a path wins. */
function distinct(paths: readonly Protection[]): readonly Protection[] {
  return [...new Map(paths.map((one) => [protectionName(one), one])).values()];
}

type TaskFiles = Pick<ProtectSource, "gates" | "dir" | "sources" | "strategy" | "steeringFiles">;

/** Rules for the task file, the module of a custom strategy, files that gates compare with, and files that steer their verdicts. */
function rulesFromTask(
  { sources, strategy, steeringFiles = [] }: TaskFiles,
  dir: string,
  compared: readonly string[],
): Rule[] {
  const own = [...sources, ...textsIn(strategy.module)].flatMap((file) => {
    const absolute = path.resolve(dir, file);
    const name = pathInside(dir, path.join(realFolder(path.dirname(absolute)), path.basename(absolute)));
    return name !== undefined && fs.existsSync(path.join(dir, name)) ? [name] : [];
  });
  return [
    ...own.map((name): Rule => ({ pattern: literal(name), class: "steering", reason: "the task itself" })),
    ...compared.map(
      (name): Rule => ({ pattern: literal(name), class: "test", reason: "a gate compares with it" }),
    ),
    ...steeringFiles.map((file): Rule => ({ ...file, class: "steering", refusesNew: true })),
  ];
}

/** Opens the classifier for the files and gates of a task. */
function openTaskClassifier(source: TaskFiles): Promise<Classifier> {
  const dir = realFolder(source.dir);
  const { commands, files } = readGateFiles(source.gates, dir);
  return openClassifier(dir, { commands, named: rulesFromTask(source, dir, files) });
}

const FILE_NAME = /[\w@.+-]*[\w@+-](?:\/[\w@.+-]+)*/g;
const MAX_NAMES = 500;

function newFilesNamedIn(prompt: string, dir: string): string[] {
  const names = new Set(
    [...prompt.matchAll(FILE_NAME)].slice(0, MAX_NAMES).map(([name]) => name.replace(/^\.\//, "")),
  );
  return [...names].flatMap((name) => {
    const relative = pathInside(dir, name.replace(/\.$/, ""));
    return relative === undefined || fs.existsSync(path.join(dir, relative)) ? [] : [relative];
  });
}

/** Lets the agent create a protected file that does not exist yet when the prompt names it: "add a vitest.config.ts". */
function allowNamedFiles(
  protections: readonly Protection[],
  prompt: string,
  dir: string,
): readonly Protection[] {
  const names = newFilesNamedIn(prompt, dir);
  if (names.length === 0) return protections;
  return protections.map((one) => {
    if (one.grows) return one;
    const { matches } = matcher(one);
    const allowed = names.filter(matches).map(literal);
    return allowed.length === 0 ? one : { ...one, except: [...(one.except ?? []), ...allowed] };
  });
}

const NO_TESTS =
  "no tests are protected: no test files were found in the workspace, so the agent can change what the gates run. Protect them with --protect GLOB";

/** Resolves `protect`. The entry `default`, and a task without `protect`, mean the files that the classifier finds. */
export async function findProtect(source: ProtectSource): Promise<ResolvedProtect> {
  const { option, prompt, gates } = source;
  const entries = option.paths ?? ["default" as const];
  const isDefault = entries.includes("default");
  const classifier = isDefault ? await openTaskClassifier(source) : undefined;
  const allowed = allowNamedFiles(classifier?.protections ?? [], prompt, realFolder(source.dir));
  const paths = distinct(entries.flatMap((entry) => (entry === "default" ? allowed : [entry])));
  const protect: Protect | undefined = paths.length > 0 ? { paths, action: option.action } : undefined;
  const hasNoTests = isDefault && gates.length > 0 && !protectsTests(protect);
  return { warnings: hasNoTests ? [NO_TESTS] : [], ...(protect && { protect }) };
}

export interface Explained extends Classified {
  /** Relative to the workspace. */
  readonly path: string;
  readonly protectedBy: readonly Protection[];
}

interface ExplainedTask {
  readonly task: Task;
  readonly sources: readonly string[];
  readonly steeringFiles: SteeringFiles;
}

/** Explains the class of a file and which protections match it. `name` is relative to `cwd`. */
export async function explainFile(
  { task, sources, steeringFiles }: ExplainedTask,
  name: string,
  cwd: string,
): Promise<Explained> {
  const { dir } = task.workspace;
  const file = pathInside(dir, path.resolve(cwd, name));
  if (file === undefined)
    throw new UsageError(`--why: ${name} is outside the workspace ${dir}; expected a file inside it`);
  const classifier = await openTaskClassifier({
    gates: task.gates,
    dir,
    sources,
    strategy: task.strategy,
    steeringFiles,
  });
  const protectedBy = (task.protect?.paths ?? []).filter((one) => matcher(one).matches(file));
  return { path: file, ...classifier.classify(file), protectedBy };
}
