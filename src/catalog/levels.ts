// Option schema of the levels gate, level by level.
import * as z from "zod";
import { jsonSchema } from "#gates/levels/json-schema-option";
import { levelsOf } from "#gates/levels/levels";
import { pattern } from "#gates/levels/safe-pattern";
import { duration } from "#options/duration";
import { show } from "#options/sentence";
import { text } from "#options/values";
import { sanity } from "./levels-sanity.ts";
import { env, given, globs, grace, insideWorkspace, oneOrMore, program } from "./shared-options.ts";

const ONE_MINUTE = 60_000;
const EVERYTHING = ["**"];

const label = text.max(200).regex(/^.*$/, { error: "expected a name on one line" });
const except = globs.default([]);
const schema = z.union([insideWorkspace, jsonSchema], {
  error: ({ input }) => `expected a JSON Schema or the path of one, got ${show(input)}`,
});

const contracts = z.strictObject({
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
  .transform(({ timeout, ...options }) => given({ ...options, timeoutMs: timeout }));

const tests = z.strictObject({
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
    contracts: contracts.prefault({}),
    tests: tests.default({ setup: [], commands: [] }),
    blackBox: z.array(blackBoxCase).default([]),
    sanity: sanity.prefault({}),
    grace: grace.optional(),
  })
  .transform(({ grace: graceOption, tests: { setup, commands }, blackBox, ...rest }, context) => {
    const withGrace = <T extends object>(each: T) => ({
      ...each,
      ...(graceOption && { grace: graceOption }),
    });
    const options = {
      ...rest,
      tests: { setup: setup.map(withGrace), commands: commands.map(withGrace) },
      blackBox: blackBox.map(withGrace),
    };
    const message = problemWith(levelsOf(options).flatMap((level) => level.ids));
    // Skipped when there are other issues: a mistyped key may be the missing check.
    if (message !== undefined && context.issues.length === 0) context.addIssue({ code: "custom", message });
    return options;
  });

function problemWith(ids: readonly string[]): string | undefined {
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate !== undefined) return `two checks are called ${show(duplicate)}; give each its own name`;
  return ids.length === 0 ? NO_CHECKS : undefined;
}

const NO_CHECKS =
  "expected at least one check in contracts, tests, blackBox or sanity: nothing to run is not a pass";
