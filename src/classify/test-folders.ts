// Finds test folders. At the root of a package the name is enough; deeper, most of the code in the folder must be
// tests, because `django/test` and `src/spec` are source.
import { MANIFESTS } from "./shared/conventions.ts";
import type { BaseFiles } from "./shared/files.ts";
import { within } from "./shared/glob.ts";
import { hasTestCases, isCode } from "./shared/test-cases.ts";

/** At the root of a package the name alone is enough. */
const TESTS = /^(?:.+[-_])?(?:[Tt]ests?|unittests?)$/;
/** At the root of a package the folder must contain at least one test case. */
const SUITE =
  /^(?:(?:.*[-_. ])?(?:[Tt]ests?|[Ss]pecs?|e2e|unittests?)(?:[-_. ].*)?|.*(?:Tests?|Specs?)|t|xt|features|acceptance|integration)$/;
/** Deeper folders must contain mostly test cases. */
const NESTED = /^(?:[Tt]ests?|[Ss]pecs?|e2e|unittests?|.+[-_.](?:[Tt]ests?|[Ss]pecs?)|.+Tests?)$/;
const DATA = /^(?:fixtures|goldens?|expected|snapshots|cassettes)$/i;
/** Code in a test folder that tests read as data, so it contains no test cases. */
const READ_BY_TESTS = /(?:^|\/)(?:data|fixtures|snapshots|cassettes)\//i;
/** Files found beside test cases in any language; they say nothing about the folder. */
const NEUTRAL = /^(?:__init__\.py|index\.[cm]?[jt]s|mod\.rs|conftest\.py|.*helper.*)$/i;
/** More folders of one name than this are merged into one pattern. */
const MOST_FOLDERS = 8;

interface Folder {
  readonly files: string[];
}

const nameOf = (file: string): string => file.slice(file.lastIndexOf("/") + 1);
const parentOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf("/")));

/** Maps each candidate folder to the files below it; files in a nested test folder count for the inner one only. */
function foldersOf(list: readonly string[]): Map<string, Folder> {
  const folders = new Map<string, Folder>();
  for (const file of list) {
    let inner = false;
    for (let folder = parentOf(file); folder !== ""; folder = parentOf(folder)) {
      if (!NESTED.test(nameOf(folder)) && !SUITE.test(nameOf(folder)) && !DATA.test(nameOf(folder))) continue;
      const known = folders.get(folder) ?? { files: [] };
      folders.set(folder, known);
      if (!inner) known.files.push(file);
      inner = inner || NESTED.test(nameOf(folder));
    }
  }
  return folders;
}

/** One pattern per folder, or one for all folders of the same name when there are many. */
function patternsFor(found: readonly string[], all: Iterable<string>): string[] {
  const byName = new Map<string, string[]>();
  for (const folder of found) byName.set(nameOf(folder), [...(byName.get(nameOf(folder)) ?? []), folder]);
  const known = new Set(found);
  return [...byName].flatMap(([name, group]) => {
    const others = [...all].some((folder) => nameOf(folder) === name && !known.has(folder));
    if (group.length > MOST_FOLDERS && !others) return [`**/${within(name, "**")}`];
    return group.map((folder) => within(folder, "**"));
  });
}

export interface TestFolders {
  readonly tests: readonly string[];
  readonly data: readonly string[];
}

/** Patterns of the folders of tests and test data; `tests` are the files that are tests by name. */
export function findTestFolders(files: BaseFiles, tests: ReadonlySet<string>): TestFolders {
  const roots = new Set(["", ...files.list.filter((file) => MANIFESTS.test(nameOf(file))).map(parentOf)]);
  const folders = foldersOf(files.list);
  const isTest = (folder: string, { files: below }: Folder): boolean => {
    const name = nameOf(folder);
    const isTopLevel = roots.has(parentOf(folder)) && !roots.has(folder);
    if (TESTS.test(name) && (isTopLevel || (roots.has(parentOf(folder)) && !/[-_]/.test(name)))) return true;
    const isCase = (file: string) => tests.has(file) || (file.endsWith(".rs") && hasTestCases(files, file));
    const cases = below.filter(isCase).length;
    if (parentOf(folder) === "" && /^tests?[-_]/i.test(name) && isTopLevel) return true;
    if (roots.has(parentOf(folder)) && SUITE.test(name) && cases > 0) return true;
    const isOther = (file: string) =>
      READ_BY_TESTS.test(file.slice(folder.length)) || NEUTRAL.test(nameOf(file));
    const code = below.filter((file) => isCode(file) && !isOther(file)).length;
    return NESTED.test(name) && cases > 0 && cases * 2 > code;
  };
  const isData = (folder: string, { files: below }: Folder): boolean =>
    DATA.test(nameOf(folder)) && (parentOf(folder) === "" || !below.some(isCode));
  const found = [...folders].filter(([folder, one]) => isTest(folder, one)).map(([folder]) => folder);
  const known = new Set(found);
  const isInside = (folder: string): boolean => {
    const above = parentOf(folder);
    return above !== "" && (known.has(above) || isInside(above));
  };
  const data = [...folders].filter(([folder, one]) => isData(folder, one) && !isInside(folder));
  return {
    tests: patternsFor(
      found.filter((folder) => !isInside(folder)),
      folders.keys(),
    ),
    data: data.map(([folder]) => within(folder, "**")),
  };
}
