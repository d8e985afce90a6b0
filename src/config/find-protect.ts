// Resolves what is protected: what the task file lists, or what the classifier finds for its gates.
import fs from "node:fs";
import path from "node:path";
import { type Classifier, openClassifier } from "#classify/classify";
import { literal } from "#classify/shared/glob";
import type { Rule } from "#classify/shared/rule";
import { protectsTests } from "#spec/cautions";
import type { Component, GateSpec, Protect, Protection } from "#spec/task";
import { protectionName } from "#text/protection-name";
import { allowNamedFiles } from "./allow-named-files.ts";
import { insideOf, namedByGates, textsIn } from "./gate-files.ts";
import type { MergedTask } from "./schema.ts";

export interface ProtectSource {
  readonly written: MergedTask["protect"];
  readonly gates: readonly GateSpec[];
  /** The workspace. */
  readonly dir: string;
  /** Task files that were read. */
  readonly sources: readonly string[];
  readonly strategy: Component;
  readonly prompt: string;
}

export interface FoundProtect {
  readonly protect?: Protect;
  /** What people should know before an agent starts. */
  readonly warnings: readonly string[];
}

/** The folder with its links resolved: it may be known by several names. */
function realFolder(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Each once; what is said last about one counts. */
function distinct(paths: readonly Protection[]): readonly Protection[] {
  return [...new Map(paths.map((one) => [protectionName(one), one])).values()];
}

type TaskFiles = Pick<ProtectSource, "gates" | "dir" | "sources" | "strategy">;

/** The task file, the module of a custom strategy, files to compare with, and the workflows of a CI gate. */
function namedByTask(
  { gates, sources, strategy }: TaskFiles,
  dir: string,
  compared: readonly string[],
): Rule[] {
  const modules = strategy.type === "custom" ? textsIn(strategy.module) : [];
  const own = [...sources, ...modules].flatMap((file) => {
    const place = path.resolve(dir, file);
    const name = insideOf(dir, path.join(realFolder(path.dirname(place)), path.basename(place)));
    return name !== undefined && fs.existsSync(path.join(dir, name)) ? [name] : [];
  });
  const hasCi = gates.some(({ use }) => use.type === "ci");
  const reason = "workflows that the gate judges by";
  const rules: Rule[] = [
    ...own.map((name): Rule => ({ pattern: literal(name), class: "steering", reason: "the task itself" })),
    ...compared.map(
      (name): Rule => ({ pattern: literal(name), class: "test", reason: "a gate compares with it" }),
    ),
  ];
  return hasCi ? [...rules, { pattern: ".github/**", class: "steering", reason, refusesNew: true }] : rules;
}

/** The classifier for the files and the gates of a task. */
export function classifierFor(source: TaskFiles): Promise<Classifier> {
  const dir = realFolder(source.dir);
  const { commands, files } = namedByGates(source.gates, dir);
  return openClassifier(dir, { commands, named: namedByTask(source, dir, files) });
}

const NO_TESTS =
  "no tests are protected: no test files were found in the workspace, so the agent may change whatever the gates run; name them with --protect GLOB";

/** The word `default` stands for what is found; so does a task that says nothing. */
export async function findProtect(source: ProtectSource): Promise<FoundProtect> {
  const { written, prompt, gates } = source;
  const entries = written?.paths ?? ["default" as const];
  const isDefault = entries.includes("default");
  const classifier = isDefault ? await classifierFor(source) : undefined;
  const allowed = allowNamedFiles(classifier?.protections ?? [], prompt, realFolder(source.dir));
  const paths = distinct(entries.flatMap((entry) => (entry === "default" ? allowed : [entry])));
  const protect: Protect | undefined =
    paths.length > 0 ? { paths, action: written?.action ?? "restore" } : undefined;
  const isBare = isDefault && gates.length > 0 && !protectsTests(protect);
  return { warnings: isBare ? [NO_TESTS] : [], ...(protect && { protect }) };
}
