// Builds the ordered classification rules of one workspace from its commands, its settings and naming conventions.

import type { Followed } from "./commands/followed.ts";
import { packageReader } from "./commands/package-scripts.ts";
import { TOOLS, type Tool } from "./commands/tools.ts";
import { rulesFromSettings } from "./runner-settings.ts";
import { DEPENDENCIES, OUTPUTS, SOURCES, TEST_FOLDERS, TEST_NAMES } from "./shared/conventions.ts";
import type { BaseFiles } from "./shared/files.ts";
import { literal, within } from "./shared/glob.ts";
import type { Rule } from "./shared/rule.ts";
import { testsByName } from "./shared/test-cases.ts";
import { findTestFolders } from "./test-folders.ts";

/** Limit of rules for single files with a likely test name. */
const MOST_LITERAL = 300;

const listed = (rows: readonly (readonly [string, string])[], kind: Rule["class"]): Rule[] =>
  rows.map(([pattern, reason]) => ({ pattern, class: kind, reason }));

const nameOf = ({ called }: Tool): string => called[0]?.split(" ")[0] ?? "";

/** The folder and its parents: runners search them for settings. */
function upwards(folder: string): string[] {
  const above = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "";
  return folder === "" ? [""] : [folder, ...upwards(above)];
}

const hasPythonTests = (files: BaseFiles): boolean =>
  files.list.some((file) => /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests)\.py$/.test(file));

/** Rules for settings of tools that run tests or that a gate calls. Refuses new settings files of tools in use. */
function settingRules(files: BaseFiles, { tools }: Followed): Rule[] {
  const packageIn = packageReader(files);
  const { dependencies, isMonorepo } = packageIn("");
  return TOOLS.flatMap((tool): Rule[] => {
    const isPytest = tool.called[0] === "pytest";
    const isInstalled =
      tool.packages.some((name) => dependencies.has(name)) || (isPytest && hasPythonTests(files));
    const folders = tools.get(tool) ?? (isInstalled ? new Set([""]) : undefined);
    if (folders === undefined && !tool.runsTests) return [];
    const places = new Set([...(folders ?? [""])].flatMap(upwards));
    const reason = `settings of ${nameOf(tool)}`;
    return tool.settings.flatMap((pattern) => {
      const everywhere = folders === undefined || (isMonorepo && !pattern.startsWith("**/"));
      const patterns = everywhere
        ? [pattern.startsWith("**/") ? pattern : `**/${pattern}`]
        : [...places].map((folder) => (pattern.startsWith("**/") ? pattern : within(folder, pattern)));
      return patterns.map(
        (each): Rule => ({ pattern: each, class: "steering", reason, ...(folders && { refusesNew: true }) }),
      );
    });
  });
}

/** Refuses new files in the root that Python would load instead of the test runner. */
function shadowingRules(files: BaseFiles, { tools }: Followed): Rule[] {
  if (![...tools.keys()].some(({ called }) => called[0] === "pytest") && !hasPythonTests(files)) return [];
  const names = ["pytest.py", "unittest.py", "_pytest", "pytest", "unittest"];
  const missing = names.filter((name) => files.kindOf(name) === undefined);
  return missing.map((pattern) => ({
    pattern,
    class: "steering",
    reason: "Python would load it instead of the test runner",
    refusesNew: true,
  }));
}

/** Rules for makefiles and justfiles that the gates use: only the recipes are protected. */
const recipeRules = ({ parts }: Followed): Rule[] =>
  parts.flatMap(({ path, part, reason = "" }): Rule[] =>
    part ? [{ pattern: path, class: "steering", reason, inParts: true }] : [],
  );

interface Given {
  readonly outputs?: readonly string[];
  readonly named?: readonly Rule[];
}

export interface BaseRules {
  readonly rules: readonly Rule[];
  /** Patterns of test folders. */
  readonly folders: readonly string[];
}

export function rulesFor(
  files: BaseFiles,
  followed: Followed,
  { outputs = [], named: given = [] }: Given,
): BaseRules {
  const { named, likely } = testsByName(files);
  const found = findTestFolders(files, new Set([...named, ...likely]));
  const folders = found.tests.map((pattern) => pattern.slice(0, -2));
  const covered = (file: string) => folders.some((folder) => file.startsWith(folder));
  const alone = likely.filter((file) => !covered(file)).slice(0, MOST_LITERAL);
  // A test file that a gate runs by name stays a test; a shell script among the tests is steering.
  const byName = new Set(named);
  const isTest = (file: string) => /\.(?!sh$|bash$)\w+$/.test(file) && (byName.has(file) || covered(file));
  const tests = new Set(files.list.filter(isTest).map(literal));
  const written = outputs.map((name): Rule => {
    const pattern = name.endsWith("/") ? `${literal(name.slice(0, -1))}/**` : literal(name);
    return { pattern, class: "output", reason: "the gates wrote it at the baseline" };
  });
  const rules: Rule[] = [
    ...written,
    ...given,
    ...listed(OUTPUTS, "output"),
    ...listed(DEPENDENCIES.slice(0, 1), "dependency"),
    ...listed(SOURCES, "source"),
    ...followed.rules.map((rule) => (tests.has(rule.pattern) ? { ...rule, class: "test" as const } : rule)),
    ...settingRules(files, followed),
    ...shadowingRules(files, followed),
    ...rulesFromSettings(files),
    ...listed(TEST_FOLDERS, "test"),
    ...found.tests.map((pattern): Rule => ({ pattern, class: "test", reason: "folder of tests" })),
    ...found.data.map((pattern): Rule => ({ pattern, class: "test", reason: "test data" })),
    ...TEST_NAMES.map(
      ([pattern, of]): Rule => ({ pattern, class: "test", reason: `named like a test (${of})` }),
    ),
    ...alone.map(
      (file): Rule => ({
        pattern: literal(file),
        class: "test",
        reason: "named like a test, with test cases in it",
      }),
    ),
    ...recipeRules(followed),
    ...listed(DEPENDENCIES.slice(1), "dependency"),
    ...files.ignored.map((name): Rule => {
      const pattern = name.endsWith("/") ? `${literal(name.slice(0, -1))}/**` : literal(name);
      return { pattern, class: "output", reason: "git ignores it" };
    }),
  ];
  return { rules, folders: found.tests };
}
