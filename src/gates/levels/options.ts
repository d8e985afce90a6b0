// Option schema of the levels gate, level by level, and the levels that the options make.
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined } from "#options/option";
import { env, globs, grace, insideWorkspace, oneOrMore, program } from "#options/part-options";
import { show } from "#options/sentence";
import { text } from "#options/values";
import { type BlackBoxCase, blackBox } from "./black-box.ts";
import { type ContractsOptions, contracts } from "./contracts.ts";
import { jsonSchema } from "./json-schema-option.ts";
import type { Level } from "./level.ts";
import { pattern } from "./safe-pattern.ts";
import { type SanityOptions, sanity } from "./sanity.ts";
import { sanityOptions } from "./sanity-options.ts";
import { type TestsOptions, tests } from "./tests.ts";

export interface LevelsOptions {
  readonly contracts: ContractsOptions;
  readonly tests: TestsOptions;
  readonly blackBox: readonly BlackBoxCase[];
  readonly sanity: SanityOptions;
}

/** Only levels that have checks. */
export function levelsOf(options: LevelsOptions): readonly Level[] {
  const all = [
    contracts(options.contracts),
    tests(options.tests),
    blackBox(options.blackBox),
    sanity(options.sanity),
  ];
  return all.filter(({ ids }) => ids.length > 0);
}

const ONE_MINUTE = 60_000;
const EVERYTHING = ["**"];

const label = text.max(200).regex(/^.*$/, { error: "expected a name on one line" });
const except = globs.default([]);
const schema = z.union([insideWorkspace, jsonSchema], {
  error: ({ input }) => `expected a JSON Schema or the path of one, got ${show(input)}`,
});

const contractsOptions = z.strictObject({
  required: z.array(insideWorkspace).default([]),
  forbidden: z
    .array(z.strictObject({ name: label.optional(), pattern, files: globs.default(EVERYTHING), except }))
    .default([]),
  schemas: z.array(z.strictObject({ files: globs, except, schema })).default([]),
  names: z.array(z.strictObject({ name: label.optional(), files: globs, except, pattern })).default([]),
});

const testCommand = z
  .union([
    program.transform((command) => ({ command, name: undefined, timeout: undefined })),
    z.strictObject({
      name: label.optional(),
      command: program,
      exitCode: z.int().min(0).max(255).optional(),
      timeout: duration.optional(),
      env: env.optional(),
      cwd: insideWorkspace.optional(),
      minTests: z.int().min(0).optional(),
      report: insideWorkspace.optional(),
    }),
  ])
  .transform(({ timeout, ...options }) => dropUndefined({ ...options, timeoutMs: timeout }));

const testsOptions = z.strictObject({
  setup: z.array(testCommand).default([]),
  commands: z.array(testCommand).min(1),
});

const stream = z
  .strictObject({
    contains: oneOrMore(text, "a text").default([]),
    excludes: oneOrMore(text, "a text").default([]),
    matches: oneOrMore(pattern, "a regular expression").default([]),
    json: z.unknown().optional(),
    schema: schema.optional(),
  })
  .prefault({});

const textOrFile = z.union([z.string(), z.strictObject({ file: insideWorkspace })], {
  error: ({ input }) => `expected a text or {file: …}, got ${show(input)}`,
});

const expectations = z
  .strictObject({
    exitCode: z.int().min(0).max(255).default(0),
    stdout: stream,
    stderr: stream,
    files: z.array(z.strictObject({ path: insideWorkspace, equals: textOrFile })).default([]),
  })
  .prefault({});

const blackBoxCase = z
  .strictObject({
    name: label,
    command: program,
    stdin: textOrFile.optional(),
    timeout: duration.default(ONE_MINUTE),
    env: env.optional(),
    cwd: insideWorkspace.optional(),
    expect: expectations,
  })
  .transform(({ timeout, ...options }) => ({ ...options, timeoutMs: timeout }));

/** Rejects a gate without checks, which would always pass, and duplicate check names, because results are keyed by name. */
export const levelsOptions = z
  .strictObject({
    contracts: contractsOptions.prefault({}),
    tests: testsOptions.default({ setup: [], commands: [] }),
    blackBox: z.array(blackBoxCase).default([]),
    sanity: sanityOptions.prefault({}),
    grace: grace.optional(),
  })
  .transform(({ grace: graceOption, tests: { setup, commands }, blackBox: cases, ...rest }, context) => {
    const withGrace = <T extends object>(each: T) => ({
      ...each,
      ...(graceOption && { grace: graceOption }),
    });
    const options = {
      ...rest,
      tests: { setup: setup.map(withGrace), commands: commands.map(withGrace) },
      blackBox: cases.map(withGrace),
    };
    const message = describeProblem(levelsOf(options).flatMap((level) => level.ids));
    // Skipped when there are other issues: a mistyped key may be the missing check.
    if (message !== undefined && context.issues.length === 0) context.addIssue({ code: "custom", message });
    return options;
  });

function describeProblem(ids: readonly string[]): string | undefined {
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate !== undefined) return `two checks are called ${show(duplicate)}; give each its own name`;
  return ids.length === 0 ? NO_CHECKS : undefined;
}

const NO_CHECKS =
  "expected at least one check in contracts, tests, blackBox or sanity: nothing to run is not a pass";
