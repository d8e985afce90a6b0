// Classifies every path of a workspace as source, test, steering, dependency or output, with a reason.
import fs from "node:fs";
import type { Classified } from "#spec/file-class";
import type { Protection } from "#spec/task";
import { followCommands, type GateCommand } from "./commands/follow.ts";
import { packageReader } from "./commands/package-scripts.ts";
import type { Tool } from "./commands/tools.ts";
import { filePartsIn } from "./file-parts.ts";
import { rulesFor } from "./rules.ts";
import { type BaseFiles, openFiles } from "./shared/files.ts";
import { within } from "./shared/glob.ts";
import {
  type CompiledRule,
  classFrom,
  compile,
  type FindRule,
  type Rule,
  ruleFinder,
} from "./shared/rule.ts";

export interface Base {
  /** The commands of the gates. */
  readonly commands: readonly GateCommand[];
  /** Paths that the gates were seen to write; a folder ends with a slash. */
  readonly outputs?: readonly string[];
  /** Rules for files that the task itself names; only outputs take precedence. */
  readonly named?: readonly Rule[];
}

export interface Classifier {
  classify(path: string): Classified;
  /** Tests, steering files and parts of other files that must not change, because the gates judge by them. */
  readonly protections: readonly Protection[];
}

const isWildcard = (pattern: string): boolean => /(?<!\\)[*?{[]/.test(pattern);
const isFree = ({ class: kind }: CompiledRule): boolean => kind !== "test" && kind !== "steering";

/** Groups the files of the base by the first rule that matches. */
function decide(find: FindRule, files: BaseFiles): Map<CompiledRule, string[]> {
  const decided = new Map<CompiledRule, string[]>();
  for (const file of files.list) {
    const rule = find(file);
    if (rule && !decided.get(rule)?.push(file)) decided.set(rule, [file]);
  }
  return decided;
}

/** One protection per test or steering rule, except for files that an earlier rule leaves unprotected. */
function protectionsFrom(rules: readonly CompiledRule[], decided: Map<CompiledRule, string[]>): Protection[] {
  return rules.flatMap((rule, at): Protection[] => {
    if (isFree(rule) || rule.inParts || (!rule.refusesNew && !decided.has(rule))) return [];
    const earlier = rules.slice(0, at).filter(isFree);
    const except = earlier
      .filter((one) => (decided.get(one) ?? []).some((file) => rule.matches(file)))
      .map(({ pattern }) => pattern);
    return [
      {
        path: rule.pattern,
        ...(except.length > 0 && { except }),
        ...(rule.class === "test" && { ignored: "free" as const }),
        grows: !rule.refusesNew && isWildcard(rule.pattern),
        reason: rule.reason,
      },
    ];
  });
}

/** Protects the settings of tools in package.json, in every folder where a tool is called. */
function packageSettings(files: BaseFiles, tools: ReadonlyMap<Tool, ReadonlySet<string>>): Protection[] {
  const packageIn = packageReader(files);
  return [...tools].flatMap(([tool, folders]) =>
    [...folders].flatMap((folder) =>
      tool.keys.map((key): Protection => {
        const path = within(folder, packageIn(folder).isMonorepo ? "**/package.json" : "package.json");
        return { path, key: [key], grows: false, reason: `settings of ${tool.called[0]}` };
      }),
    ),
  );
}

function realFolder(dir: string): string {
  try {
    return fs.realpathSync(dir);
  } catch {
    return dir;
  }
}

export async function openClassifier(dir: string, base: Base): Promise<Classifier> {
  const files = await openFiles(realFolder(dir));
  const followed = followCommands(files, base.commands);
  const { rules, folders } = rulesFor(files, followed, base);
  const compiled = rules.map(compile);
  const find = ruleFinder(compiled);
  const decided = decide(find, files);
  return {
    classify: (path) => classFrom(find, path),
    protections: [
      ...protectionsFrom(compiled, decided),
      ...followed.parts,
      ...packageSettings(files, followed.tools),
      ...filePartsIn(files, folders, base.commands.map(({ command }) => String(command)).join("\n")),
    ],
  };
}
