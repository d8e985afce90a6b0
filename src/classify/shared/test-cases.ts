// Detects tests by file name, and by their content where the name alone is not enough.
import { LIKELY_TEST_NAMES, NOT_TESTS, PYTHON_TEST_CASES, TEST_CASES, TEST_NAMES } from "./conventions.ts";
import type { BaseFiles } from "./files.ts";
import { anyName } from "./glob.ts";

const isNamed = anyName(TEST_NAMES.map(([pattern]) => pattern));
const isLikely = anyName(LIKELY_TEST_NAMES);
const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|c|cc|cpp|cxx|java|kt|scala|groovy|cs|fs|vb|php|rb|swift|exs?|dart|lua|hs|erl|cljc?|sh)$/;

export const isCode = (file: string): boolean => CODE.test(file);

export const isNamedLikeTest = (file: string): boolean => isNamed(file);

export const isLikelyTestName = (file: string): boolean => isLikely(file) && !NOT_TESTS.test(file);

/** Checks the content, because source may have such a name too (`TwigTest.php`, `test-utils.ts`). */
export function hasTestCases(files: BaseFiles, file: string): boolean {
  const extension = file.slice(file.lastIndexOf(".") + 1);
  return TEST_CASES[extension]?.test(files.read(file)) ?? false;
}

const confirmsLikelyName = (files: BaseFiles, file: string): boolean =>
  file.endsWith(".py") ? PYTHON_TEST_CASES.test(files.read(file)) : hasTestCases(files, file);

/** Files of the base that are tests by name, or by a likely name and their content. */
export function testsByName(files: BaseFiles): { readonly named: string[]; readonly likely: string[] } {
  const named = files.list.filter(isNamedLikeTest);
  const rest = new Set(named);
  const likely = files.list.filter(
    (file) => !rest.has(file) && isLikelyTestName(file) && confirmsLikelyName(files, file),
  );
  return { named, likely };
}
