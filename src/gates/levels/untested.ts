// Finds source files that the run added and that have no test file with a matching name.
import path from "node:path";
import { readInside } from "#system/files-inside";
import { addedFiles } from "./added-files.ts";
import type { CheckContext } from "./level.ts";
import { type Selection, select } from "./select.ts";

export interface UntestedOptions extends Selection {
  /** Globs of test files. */
  readonly tests: readonly string[];
}

const SOURCE_BYTES = 16 * 1024 * 1024;

export async function untested(
  context: CheckContext,
  { tests, ...source }: UntestedOptions,
): Promise<readonly string[]> {
  const added = new Set(addedFiles(await context.request.diff()));
  const testFiles = await select(context, { files: tests, except: [] });
  const subjects = new Set(testFiles.flatMap(subjectsOf));
  const isTest = new Set(testFiles);
  const candidates = (await select(context, source)).filter((file) => added.has(file) && !isTest.has(file));
  const withoutTests = candidates.filter((file) => !subjects.has(foldName(stemOf(file))));
  const own = await Promise.all(withoutTests.map((file) => testsItself(context.request.dir, file)));
  return withoutTests.filter((_, index) => !own[index]);
}

/** The name without folders and without everything after the first dot. */
const stemOf = (file: string) => path.basename(file).replace(/(?<=.)\..*$/s, "");

const foldName = (name: string) => name.toLowerCase().replace(/[-_]/g, "");

/** `user-name.test.ts`, `test_user_name.py`, `UserNameTest.java` test `username`; `contest.test.ts` tests `contest`. */
function subjectsOf(file: string): readonly string[] {
  const stem = stemOf(file);
  return [stem, stem.replace(/^(?:test|spec)[-_]|[-_]?(?:tests?|spec)$/gi, "")].map(foldName);
}

/** Rust files usually contain their own tests. */
async function testsItself(dir: string, file: string): Promise<boolean> {
  if (!file.endsWith(".rs")) return false;
  return (await readInside(dir, file, SOURCE_BYTES)).includes("#[cfg(test)]");
}
