// Level 0: checks required files, forbidden patterns, schemas and file names without running anything.
import path from "node:path";
import { kindInside } from "#system/files-inside";
import { runWithTimeout } from "#system/sync-timeout";
import { type Check, type Level, levelOf, resultOf } from "./level.ts";
import { type SchemaRule, schemaCheck } from "./schema-rule.ts";
import { isGlob, type Selection, search, select } from "./select.ts";

export interface ContractsOptions {
  /** Paths and globs; a trailing slash means a folder. */
  readonly required: readonly string[];
  readonly forbidden: readonly PatternRule[];
  readonly schemas: readonly SchemaRule[];
  readonly names: readonly PatternRule[];
}

interface PatternRule extends Selection {
  readonly pattern: string;
  readonly name?: string | undefined;
}

const NAMES_MS = 5_000;

export function contracts({ required, forbidden, schemas, names }: ContractsOptions): Level {
  return levelOf(0, "contracts", [
    ...required.map(requiredCheck),
    ...forbidden.map(forbiddenCheck),
    ...schemas.map(schemaCheck),
    ...names.map(namesCheck),
  ]);
}

function requiredCheck(pattern: string): Check {
  const id = `L0 required: ${pattern}`;
  const missing = (message: string) => resultOf(id, [{ message, location: pattern }]);
  return {
    id,
    run: async (context) => {
      if (isGlob(pattern)) {
        const files = await select(context, { files: [pattern], except: [] });
        return files.length > 0 ? resultOf(id, []) : missing(`no file matches ${pattern}`);
      }
      const expected = pattern.endsWith("/") ? "folder" : "file";
      const actual = (await kindInside(context.request.dir, pattern)) ?? "nothing";
      return actual === expected
        ? resultOf(id, [])
        : resultOf(id, [{ message: `expected a ${expected}`, location: pattern, expected, actual }]);
    },
  };
}

function forbiddenCheck({ name, pattern, ...selection }: PatternRule): Check {
  const id = `L0 forbidden: ${name ?? pattern}`;
  return {
    id,
    run: async (context) => {
      const matches = await search(context, selection, new RegExp(pattern, "u"));
      return resultOf(
        id,
        matches.map(({ file, line, text, more }) => ({
          id: `${id} in ${file}`,
          message: `${file} matches a forbidden pattern${more > 0 ? `, on ${more + 1} lines` : ""}`,
          location: `${file}:${line}`,
          expected: `no match of ${pattern}`,
          actual: text,
        })),
      );
    },
  };
}

function namesCheck({ name, pattern, ...selection }: PatternRule): Check {
  const id = `L0 names: ${name ?? selection.files.join(", ")}`;
  return {
    id,
    run: async (context) => {
      const files = await select(context, selection);
      const expected = new RegExp(pattern, "u");
      const wrong = runWithTimeout(NAMES_MS, () =>
        files.filter((file) => !expected.test(path.basename(file))),
      );
      return resultOf(
        id,
        wrong.map((file) => ({
          id: `${id} in ${file}`,
          message: `the name of ${file} does not match the pattern`,
          location: file,
          expected: `a name that matches ${pattern}`,
          actual: path.basename(file),
        })),
      );
    },
  };
}
