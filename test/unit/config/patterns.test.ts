import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { builtIns } from "#catalog/built-ins";
import { readTask } from "#config/read-task";
import { pattern } from "#gates/levels/safe-pattern";
import { folder, problemsOf } from "./fixtures.ts";

const messageOf = (source: string) => pattern.safeParse(source).error?.issues[0]?.message;

describe("a regular expression in a task", () => {
  it.each(["(a+)+$", "(a|a)*$", "(?:x+x+)+y", "^(?=(a+)+$)b"])(
    "is rejected when it backtracks exponentially, with an example input and advice: %s",
    (source) => {
      expect(messageOf(source)).toMatch(
        /^expected a regular expression without catastrophic backtracking: this one takes exponential time on '[^\n]{1,120}; do not nest repetitions/,
      );
    },
  );

  it.each(["(a", "a{2,1}", "\\-", "[b-a]", "(?<n>a)(?<n>b)"])(
    "is rejected when its syntax is invalid: %s",
    (source) => {
      expect(messageOf(source)).toMatch(/^expected a regular expression \(with the flag u\): ./);
    },
  );

  it.each(["TODO", "^[a-z]+(?:-[a-z]+)*\\.ts$", ".*foo.*bar.*", "^(?!.*foo).*$", "\\p{Lu}", "(?<n>a)\\k<n>"])(
    "is accepted otherwise, even with polynomial or unknown cost: %s",
    (source) => {
      expect(messageOf(source)).toBeUndefined();
    },
  );

  it("leaves the environment unchanged", () => {
    const before = { ...process.env };
    messageOf("(?:q+q+)+r");
    expect({ ...process.env }).toEqual(before);
  });

  it("loads the checker only when there is a pattern", () => {
    const script = `
      import { createRequire } from "node:module";
      import { levelsOptions } from "#gates/levels/options";
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("recheck"));
      levelsOptions.parse({ contracts: { required: ["a"] } });
      const before = loaded();
      levelsOptions.parse({ contracts: { forbidden: [{ pattern: "a" }] } });
      console.log(before, loaded());`;
    const args = ["--input-type=module", "--eval", script];
    expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toBe("false true\n");
  });

  it("can be part of other schemas", () => {
    const schema = z.strictObject({ title: pattern.optional() });
    expect(schema.safeParse({ title: "^feat" }).success).toBe(true);
    expect(schema.safeParse({ title: "(a+)+$" }).error?.issues[0]?.path).toEqual(["title"]);
  });
});

describe("a mistake in a levels gate is reported at its location", () => {
  const problemsIn = (gate: string) => {
    const text = `prompt: x\nagent: {type: scripted, iterations: []}\ngates:\n  - type: levels\n${gate}`;
    const cwd = folder({ "converge.yaml": text });
    return problemsOf(readTask({ cwd, file: "converge.yaml" }, builtIns()));
  };
  const nothing =
    "converge.yaml:4:5: gates[0]: expected at least one check in contracts, tests, blackBox or sanity: nothing to run is not a pass";

  it.each<[string, string, (string | RegExp)[]]>([
    ["no checks at all", "", [nothing]],
    ["levels without checks", "    contracts: {}\n    blackBox: []\n    sanity: {debug: off}\n", [nothing]],
    [
      "an exponential pattern",
      "    contracts:\n      forbidden:\n        - pattern: TODO\n        - pattern: (a+)+$\n",
      [
        /^converge\.yaml:8:20: gates\[0\]\.contracts\.forbidden\[1\]\.pattern: expected a regular expression without/,
      ],
    ],
    [
      "a pattern in an assertion",
      "    blackBox:\n      - {name: a, command: b, expect: {stdout: {matches: [ok, '(x+x+)+y']}}}\n",
      [/^converge\.yaml:6:63: gates\[0\]\.blackBox\[0\]\.expect\.stdout\.matches\[1\]: expected a regular/],
    ],
    [
      "patterns in an inline schema",
      "    contracts:\n      schemas:\n        - files: a.json\n          schema:\n            properties:\n              pattern: {type: string, pattern: (a+)+$}\n            patternProperties:\n              '(b+)+$': true\n            const: {pattern: '(c+)+$'}\n",
      [
        /^converge\.yaml:10:48: gates\[0\]\.contracts\.schemas\[0\]\.schema\.properties\.pattern\.pattern: expected a/,
        /^converge\.yaml:12:25: gates\[0\]\.contracts\.schemas\[0\]\.schema\.patternProperties\.\(b\+\)\+\$: expected a/,
      ],
    ],
    [
      "an unknown JSON Schema type, and an external reference",
      "    contracts:\n      schemas: [{files: a, schema: {anyOf: [{type: strng}, {$ref: 'http://localhost/x'}]}}]\n",
      [
        'converge.yaml:6:52: gates[0].contracts.schemas[0].schema.anyOf[0].type: expected array, boolean, integer, null, number, object or string, got "strng"',
        'converge.yaml:6:67: gates[0].contracts.schemas[0].schema.anyOf[1].$ref: expected a reference inside this schema ("#/$defs/…"), got "http://localhost/x"',
      ],
    ],
    [
      "an unknown key",
      "    contracts: {require: [a]}\n",
      [
        'converge.yaml:5:17: unknown key "require" in gates[0].contracts; did you mean "required"? (known: required, forbidden, schemas, names)',
      ],
    ],
    [
      "a path outside the workspace",
      "    contracts: {required: [../a]}\n",
      ["converge.yaml:5:28: gates[0].contracts.required[0]: expected a path inside the workspace"],
    ],
    [
      "a setup without commands",
      "    tests: {setup: [a], commands: []}\n",
      ["converge.yaml:5:35: gates[0].tests.commands: expected at least 1 entries, got 0"],
    ],
    [
      "an unknown action",
      "    sanity: {debug: wran}\n",
      [
        'converge.yaml:5:21: gates[0].sanity.debug: expected off, warn, fail or {action: …}, got "wran"; did you mean "warn"?',
      ],
    ],
    [
      "an invalid size",
      "    sanity: {largeFiles: {limit: big}}\n",
      ['converge.yaml:5:34: gates[0].sanity.largeFiles.limit: expected a size like 500KB or 2MB, got "big"'],
    ],
    [
      "a duplicate check name",
      "    blackBox: [{name: a, command: b}, {name: a, command: c}]\n",
      ['converge.yaml:4:5: gates[0]: two checks are called "L2 a: exit code"; give each its own name'],
    ],
  ])("%s", async (_, gate, expected) => {
    const problems = await problemsIn(gate);
    expect(problems).toEqual(
      expected.map((each) => (typeof each === "string" ? each : expect.stringMatching(each))),
    );
  });
});
