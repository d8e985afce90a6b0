// Resolves the protected files: those that the task file lists, or those that the classifier finds for its gates.
import fs from "node:fs";
import path from "node:path";
import { type Classifier, openClassifier } from "#classify/classify";
import { literal } from "#classify/shared/glob";
import type { Rule } from "#classify/shared/rule";
import type { GateTraits } from "#options/part";
import { protectsTests } from "#rules/cautions";
import type { Component, GateSpec, Protect, Protection } from "#spec/task";
import { pathInside } from "#system/inside";
import { protectionName } from "#text/protection-name";
import { allowNamedFiles } from "./allow-named-files.ts";
import { readGateFiles, textsIn } from "./gate-files.ts";
import type { MergedTask } from "./schema.ts";

export type SteeringFiles = NonNullable<GateTraits["steeringFiles"]>;

export interface ProtectSource {
  readonly option: MergedTask["protect"];
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

export interface ResolvedProtect {
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
export function openTaskClassifier(source: TaskFiles): Promise<Classifier> {
  const dir = realFolder(source.dir);
  const { commands, files } = readGateFiles(source.gates, dir);
  return openClassifier(dir, { commands, named: rulesFromTask(source, dir, files) });
}

const NO_TESTS =
  "no tests are protected: no test files were found in the workspace, so the agent can change what the gates run. Protect them with --protect GLOB";

/** Resolves `protect`. The entry `default`, and a task without `protect`, mean the files that the classifier finds. */
export async function findProtect(source: ProtectSource): Promise<ResolvedProtect> {
  const { option, prompt, gates } = source;
  const entries = option?.paths ?? ["default" as const];
  const isDefault = entries.includes("default");
  const classifier = isDefault ? await openTaskClassifier(source) : undefined;
  const allowed = allowNamedFiles(classifier?.protections ?? [], prompt, realFolder(source.dir));
  const paths = distinct(entries.flatMap((entry) => (entry === "default" ? allowed : [entry])));
  const protect: Protect | undefined =
    paths.length > 0 ? { paths, action: option?.action ?? "restore" } : undefined;
  const hasNoTests = isDefault && gates.length > 0 && !protectsTests(protect);
  return { warnings: hasNoTests ? [NO_TESTS] : [], ...(protect && { protect }) };
}
