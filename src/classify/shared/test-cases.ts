// Whether a file is named like a test, and whether it contains test cases where the name alone is not enough.
import { LIKELY_TEST_NAMES, NOT_TESTS, TEST_CASES, TEST_NAMES } from "./conventions.ts";
import type { BaseFiles } from "./files.ts";
import { fastGlob } from "./glob.ts";

const NAMED = TEST_NAMES.map(([pattern]) => fastGlob(pattern));
const LIKELY = LIKELY_TEST_NAMES.map(fastGlob);
const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|c|cc|cpp|cxx|java|kt|scala|groovy|cs|fs|vb|php|rb|swift|exs?|dart|lua|hs|erl|cljc?|sh)$/;

export const isCode = (file: string): boolean => CODE.test(file);

export const isNamedLikeTest = (file: string): boolean => NAMED.some((matches) => matches(file));

export const isLikelyTestName = (file: string): boolean =>
  !NOT_TESTS.test(file) && LIKELY.some((matches) => matches(file));

/** Reads the file: the name alone may belong to source (`TwigTest.php`, `test-utils.ts`). */
export function hasTestCases(files: BaseFiles, file: string): boolean {
  const extension = file.slice(file.lastIndexOf(".") + 1);
  return TEST_CASES[extension]?.test(files.read(file)) ?? false;
}

/** Files of the base that are tests by name, or by a likely name and their content. */
export function testsByName(files: BaseFiles): { readonly named: string[]; readonly likely: string[] } {
  const named = files.list.filter(isNamedLikeTest);
  const rest = new Set(named);
  const likely = files.list.filter(
    (file) => !rest.has(file) && isLikelyTestName(file) && hasTestCases(files, file),
  );
  return { named, likely };
}
