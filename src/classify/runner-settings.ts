// Parses the settings of test runners for the tests and set-up files they name. Never executes the settings.
import picomatch from "picomatch";
import { normaliseInside } from "#system/inside";
import { isObject } from "#text/json";
import { readJson } from "./commands/package-scripts.ts";
import { isUsedBySource } from "./commands/programs.ts";
import { stringsAt } from "./parts/settings-file.ts";
import type { BaseFiles } from "./shared/files.ts";
import { glob, literal, within } from "./shared/glob.ts";
import type { Rule } from "./shared/rule.ts";
import { hasTestCases, isCode, isNamedLikeTest } from "./shared/test-cases.ts";

/** Keys that name tests, and keys that name files loaded before the tests. */
const TEST_KEYS =
  /^(?:testMatch|roots|include|spec|files|testDir|specPattern|spec_files|spec_dir|typecheck)$/;
const SET_UP_KEYS =
  /^(?:setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown|require|file|supportFile|helpers|resolver|testEnvironment|testRunner|runner)$/;
const KEY =
  /(?:^|[\s{,"'])(\w+)["']?\s*:\s*(\[[^\]]*\]|["'`][^"'`\n]+["'`]|(?:\s*\n\s*-\s*[^\n]+)+|[^\s[{"'`,][^\n,]*)/g;
const SCRIPT_SETTINGS =
  /(?:^|\/)(?:(?:jest|vitest|vite|ava|playwright|cypress)\.config\.\w+|jest-\w+\.config\.\w+|\.mocharc\.\w+|jasmine\.json|jasmine\.\w+)$/;
const MOST_CHECKED = 60;
const MOST_LITERAL = 100;

interface Named {
  readonly folder: string;
  readonly key: string;
  readonly values: readonly string[];
}

const stringsIn = (value: string): string[] =>
  [...value.matchAll(/["'`]([^"'`\n]+)["'`]|-\s+([^\s"'][^\n]*)|^([^\s["'`{][^\n]*)$/g)].map(
    ([, quoted, listed, bare]) => (quoted ?? listed ?? bare ?? "").trim(),
  );

/** Parses JSON, YAML, JavaScript and TypeScript alike: keys with a string or a list of strings. */
function namedIn(text: string, folder: string): Named[] {
  return [...text.matchAll(KEY)].map(([, key = "", value = ""]) => ({
    folder,
    key,
    values: stringsIn(value),
  }));
}

const folderOf = (file: string): string => (file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "");

function fromPackages(files: BaseFiles): Named[] {
  const manifests = files.list.filter((file) => /(?:^|\/)package\.json$/.test(file)).slice(0, 300);
  return manifests.flatMap((file) => {
    const { jest, mocha, ava } = readJson(files, file);
    return [jest, mocha, ava]
      .filter(isObject)
      .flatMap((part) => namedIn(JSON.stringify(part), folderOf(file)));
  });
}

const PYTEST: readonly (readonly [file: RegExp, format: "toml" | "ini", table: string])[] = [
  [/(?:^|\/)\.?pytest\.ini$/, "ini", "pytest"],
  [/(?:^|\/)tox\.ini$/, "ini", "pytest"],
  [/(?:^|\/)setup\.cfg$/, "ini", "tool:pytest"],
  [/(?:^|\/)pyproject\.toml$/, "toml", "tool.pytest.ini_options"],
];

function fromPytest(files: BaseFiles): Named[] {
  return PYTEST.flatMap(([name, format, table]) =>
    files.list
      .filter((file) => name.test(file))
      .flatMap((file) => {
        const text = files.read(file);
        const paths = stringsAt(text, format, `${table}.testpaths`);
        const names = stringsAt(text, format, `${table}.python_files`).map((one) => `**/${one}`);
        return [{ folder: folderOf(file), key: "include", values: [...paths, ...names] }];
      }),
  );
}

function fromOthers(files: BaseFiles): Named[] {
  return files.list.flatMap((file): Named[] => {
    const folder = folderOf(file);
    if (/(?:^|\/)phpunit(?:\.dist)?\.xml(?:\.dist)?$/.test(file)) {
      const text = files.read(file);
      const suites = /<testsuites>[\s\S]*?<\/testsuites>/.exec(text)?.[0] ?? "";
      const values = [...suites.matchAll(/<(?:directory|file)[^>]*>([^<]+)</g)].map(([, one = ""]) =>
        one.trim(),
      );
      const bootstrap = /bootstrap="([^"]+)"/.exec(text)?.[1];
      return [
        { folder, key: "include", values },
        { folder, key: "setupFiles", values: bootstrap === undefined ? [] : [bootstrap] },
      ];
    }
    if (/(?:^|\/)Cargo\.toml$/.test(file))
      return [{ folder, key: "include", values: stringsAt(files.read(file), "toml", "test.path") }];
    if (/(?:^|\/)pom\.xml$/.test(file)) {
      const values = [...files.read(file).matchAll(/<testSourceDirectory>([^<]+)</g)].map(([, one = ""]) =>
        one.trim(),
      );
      return [{ folder, key: "include", values }];
    }
    return SCRIPT_SETTINGS.test(file) ? namedIn(files.read(file), folder) : [];
  });
}

const clean = (value: string): string =>
  value.replace(/^(?:<rootDir>|\$\{?(?:project\.)?basedir\}?|\.)\//, "").replace(/\/+$/, "");

/** Whether most of the code files are tests: settings may name source files, which must stay unprotected. */
function areTests(files: BaseFiles, matched: readonly string[]): boolean {
  const code = matched.filter(isCode).slice(0, MOST_CHECKED);
  const tests = code.filter((file) => isNamedLikeTest(file) || hasTestCases(files, file));
  return code.length > 0 && tests.length * 2 > code.length;
}

function testRules(files: BaseFiles, { folder, values }: Named): Rule[] {
  const reason = "named by the settings of the test runner";
  return values.flatMap((value): Rule[] => {
    const cleaned = clean(value);
    if (/^[!.*]*$/.test(cleaned) || cleaned.startsWith("!") || normaliseInside(cleaned) === undefined)
      return [];
    const place = files.inside(cleaned, folder);
    const isFolder = place !== undefined && files.kindOf(place) === "folder";
    const pattern = within(folder, isFolder ? `${cleaned}/**` : cleaned);
    const isExtended = /[()]/.test(pattern);
    const matches = isExtended ? picomatch(pattern, { dot: true }) : glob(pattern);
    const matched = files.list.filter((file) => matches(file));
    if (!areTests(files, matched)) return [];
    if (!isExtended) return [{ pattern, class: "test", reason }];
    return matched
      .filter((file) => !isNamedLikeTest(file))
      .slice(0, MOST_LITERAL)
      .map((file) => ({ pattern: literal(file), class: "test", reason }));
  });
}

function setUpRules(files: BaseFiles, { folder, key, values }: Named): Rule[] {
  return values.flatMap((value): Rule[] => {
    const names = [clean(value), ...["js", "ts", "mjs", "cjs", "tsx"].map((end) => `${clean(value)}.${end}`)];
    const file = names.flatMap((name) => files.inside(name, folder) ?? []).find((name) => files.has(name));
    if (file === undefined || isUsedBySource(files, file)) return [];
    return [
      { pattern: literal(file), class: "steering", reason: `set-up that the test runner loads (${key})` },
    ];
  });
}

export function rulesFromSettings(files: BaseFiles): readonly Rule[] {
  const named = [...fromPackages(files), ...fromPytest(files), ...fromOthers(files)];
  const setUp = named.filter(({ key }) => SET_UP_KEYS.test(key)).flatMap((one) => setUpRules(files, one));
  const tests = named.filter(({ key }) => TEST_KEYS.test(key)).flatMap((one) => testRules(files, one));
  return [...setUp, ...tests];
}
