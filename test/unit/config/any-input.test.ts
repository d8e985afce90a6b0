import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { ConfigError } from "#spec/errors";
import { EXAMPLE, folder, read } from "./fixtures.ts";

/** Expects a task, or a ConfigError with at least one problem; rethrows any other error. */
async function accepted(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    return false;
  }
}

const KEYS = [
  "prompt",
  "agent",
  "gates",
  "strategy",
  "memory",
  "workspace",
  "limits",
  "until",
  "vars",
  "profiles",
];
const WORDS = ["claude", "command", "hybrid", "on", "x", "tests", "p"];
const INNER = [
  "type",
  "name",
  "command",
  "onFailure",
  "skipIf",
  "failed",
  "iterations",
  "time",
  "extends",
  "p",
];

/** Generates values biased towards parts of a task. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom(...WORDS),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
    fc.double(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...INNER), tie("value"), { maxKeys: 4 }),
  ),
}));
const anyTask = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 6 });

describe("any input", () => {
  it("given as YAML yields a task or a ConfigError", async () => {
    const cwd = folder();
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyTask, value), async (written) => {
        writeFileSync(path.join(cwd, "converge.yaml"), stringify(written));
        await accepted(read({ cwd, file: "converge.yaml", profile: "p" }));
        await accepted(read({ cwd, file: "converge.yaml" }));
      }),
      { numRuns: 300 },
    );
  });

  it("given as flags yields a task or a ConfigError", async () => {
    const cwd = folder({ "converge.yaml": "prompt: x\nagent: claude" });
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyTask, fc.anything()), async (flags) => {
        await accepted(read({ cwd, file: "converge.yaml", flags: flags as never }));
      }),
      { numRuns: 300 },
    );
  });

  it("given as malformed YAML yields a task or a ConfigError", async () => {
    const cwd = folder();
    const scrap = fc.constantFrom(
      "a",
      ":",
      " ",
      "\n",
      "- ",
      "[",
      "{",
      "}",
      "]",
      "&x ",
      "*x",
      "'",
      '"',
      "|",
      "!t ",
      "? ",
      "#",
      "---\n",
      "\t",
      "<<",
      "%",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(scrap, { maxLength: 20 }), async (scraps) => {
        writeFileSync(path.join(cwd, "converge.yaml"), scraps.join(""));
        await accepted(read({ cwd, file: "converge.yaml" }));
      }),
      { numRuns: 500 },
    );
  });

  it("made from the example cut at any byte yields a task or a ConfigError, and the whole example a task", async () => {
    const cwd = folder({ "prompts/fix.hbs": "{{task}}" });
    const bytes = Buffer.from(EXAMPLE.replace("Make", "Máke"));
    const results: boolean[] = [];
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(path.join(cwd, "converge.yaml"), bytes.subarray(0, length));
      results.push(await accepted(read({ cwd, file: "converge.yaml" })));
    }
    expect(results.at(-1)).toBe(true);
    expect(results[0]).toBe(false);
    expect(results.filter((result) => result).length).toBeLessThan(results.length);
  });
});
