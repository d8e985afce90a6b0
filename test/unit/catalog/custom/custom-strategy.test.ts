// Loads real modules in real threads. The threads start from the built worker, so it is built first.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type CustomOptions, customStrategy, hashModule } from "#catalog/custom/custom-strategy";
import { ExtensionError } from "#spec/errors";
import { aRun } from "./a-run.ts";

const root = join(import.meta.dirname, "../../../..");
const fixture = (name: string) => join(root, "test/fixtures/strategies", name);
const opened: { close(): Promise<void> }[] = [];
let folder: string;

beforeAll(async () => {
  if (!existsSync(join(root, "dist/catalog/custom/worker.js"))) throw new Error("run `npm run build` first");
  folder = await mkdtemp(join(tmpdir(), "custom-strategy-"));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((custom) => custom.close()));
});
afterAll(() => rm(folder, { recursive: true }));

async function open(name: string, options: Partial<CustomOptions> = {}) {
  const custom = await customStrategy({ module: fixture(name), ...options });
  opened.push(custom);
  return custom.strategy;
}

/** The message of the ExtensionError, loading included. */
async function failure(name: string, options: Partial<CustomOptions> = {}, run = aRun(4)): Promise<string> {
  const error = await (async () => (await open(name, options))(run))().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExtensionError);
  const start = `custom strategy ./test/fixtures/strategies/${name}: `;
  const { message } = error as Error;
  expect(message.startsWith(start) ? start : message).toBe(start);
  return message.slice(start.length);
}

describe("a module may export", () => {
  test("a plain function, whose whole decision is returned", async () => {
    const strategy = await open("plain-function.mjs");
    expect(await strategy(aRun(2))).toEqual({
      continue: true,
      reason: "seen 2",
      confidence: 0.9,
      feedback: "look at the second test",
      metadata: { seen: 2 },
    });
    expect(await strategy(aRun(3))).toMatchObject({ continue: false });
  });

  test("an async function", async () => {
    const strategy = await open("async-function.mjs");
    expect(await strategy(aRun(2))).toMatchObject({ reason: "slept before iteration 3", confidence: 0.5 });
  });

  test.each([
    ["an async factory of an object", "factory.mjs", "default"],
    ["a factory of a function", "factory.mjs", "ofFunction"],
    ["a class", "class.mjs", "AtMost"],
    ["a constructor function", "class.mjs", "OldFashioned"],
    ["an object", "object.mjs", "default"],
  ])("%s, which receives its config", async (_what, name, exported) => {
    const strategy = await open(name, { export: exported, config: { most: 2 } });
    expect(await strategy(aRun(1))).toMatchObject({ continue: true });
    expect(await strategy(aRun(2))).toMatchObject({ continue: false });
  });

  test("a CommonJS function", async () => {
    expect(await (await open("common.cjs"))(aRun(2))).toMatchObject({ reason: "common 2" });
  });

  test("a function that returns a bare boolean, which becomes the reason", async () => {
    const strategy = await open("plain-function.mjs", { export: "bare" });
    const who = "custom strategy ./test/fixtures/strategies/plain-function.mjs";
    expect(await strategy(aRun(1))).toEqual({
      continue: true,
      reason: `${who} said continue`,
      confidence: 0.5,
    });
    expect(await strategy(aRun(3))).toEqual({ continue: false, reason: `${who} said stop`, confidence: 0.5 });
  });

  test("TypeScript if Node can strip types, and otherwise explains what to do", async () => {
    const answer = await open("typed.ts")
      .then((strategy) => strategy(aRun(1)))
      .catch((error: Error) => error.message);
    const strips = "typescript" in process.features && process.features.typescript;
    if (strips) expect(answer).toMatchObject({ continue: true, reason: "typed" });
    else {
      const advice = `Node 22.18+ can load TypeScript; this is ${process.version}: compile it or rename to .mjs`;
      expect(answer).toBe(`custom strategy ./test/fixtures/strategies/typed.ts: ${advice}`);
    }
  });
});

describe("a module that cannot be used says why", () => {
  test("when it does not exist", async () => {
    expect(await failure("absent.mjs")).toBe(
      `not found; expected a .js, .mjs or .ts file at ${fixture("absent.mjs")}`,
    );
  });

  test("when it is a folder", async () => {
    await expect(customStrategy({ module: folder })).rejects.toThrow(
      `custom strategy ${folder}: is not a file`,
    );
  });

  test("when it is another kind of file", async () => {
    expect(await failure("wrong-kind.py")).toBe('expected a .js, .mjs or .ts file, got ".py"');
  });

  test("when the export is missing, listing the existing exports", async () => {
    expect(await failure("class.mjs", { export: "AtLeast" })).toBe(
      'has no export "AtLeast"; its exports are: AtMost, OldFashioned',
    );
  });

  test.each([
    ["default", "an object with name (string), decide (string), shouldcontinue (function)"],
    ["Nothing", "an object with think (function)"],
    ["answer", "42"],
  ])(
    "when the export %s has the wrong shape, listing what is missing and what it has",
    async (exported, is) => {
      const missing = "missing decide(run), shouldContinue(state) or onIterationComplete(event)";
      expect(await failure("wrong-shape.mjs", { export: exported })).toBe(
        `is not a strategy: ${missing}; it is ${is}`,
      );
    },
  );

  test("when it throws while loading, with file and line", async () => {
    expect(await failure("throws-at-import.mjs")).toBe(
      "threw while it was loaded: Error: no licence found (throws-at-import.mjs:3)",
    );
  });

  test("when its constructor throws", async () => {
    expect(await failure("throws.mjs", { export: "Constructor" })).toMatch(
      /^threw Error: not today \(throws\.mjs:\d+\)$/,
    );
  });

  test.each(["esm.mjs", "common.cjs"])("when %s does not parse, with file and line", async (name) => {
    const module = join(folder, name);
    await writeFile(module, "const a = 1;\nconst b = ;\n");
    await expect(customStrategy({ module })).rejects.toThrow(
      `custom strategy ${module}: cannot be parsed: SyntaxError: Unexpected token ';' (${name}:2)`,
    );
  });

  test("when an imported file does not parse, with the line, and the file if Node reports it", async () => {
    await writeFile(join(folder, "broken.mjs"), "\n\nexport const = 1;\n");
    const module = join(folder, "importing.mjs");
    await writeFile(module, 'import "./broken.mjs";\nexport default () => true;\n');
    await expect(customStrategy({ module })).rejects.toThrow(
      /cannot be parsed: SyntaxError: .* \((broken\.mjs:3|line 3 of a file that it imports)\)$/,
    );
  });

  test("when an imported file does not exist", async () => {
    const module = join(folder, "lonely.mjs");
    await writeFile(module, 'import "./nowhere.mjs";\nexport default () => true;\n');
    await expect(customStrategy({ module })).rejects.toThrow(/threw while it was loaded: .*nowhere\.mjs/);
  });

  test("when it never finishes loading", async () => {
    expect(await failure("hangs-at-import.mjs", { timeoutMs: 300 })).toBe("did not load within 300ms");
    expect(await failure("hangs.mjs", { export: "spinsAtOnce", timeoutMs: 300 })).toBe(
      "did not load within 300ms",
    );
  });

  test("when a factory rejects its config", async () => {
    expect(await failure("factory.mjs", { export: "pickyAboutZero", config: { most: 0 } })).toMatch(
      /^is a factory that cannot make a strategy of its config: it threw Error: most must not be 0 \(factory/,
    );
    expect(await failure("factory.mjs", { export: "picky", config: {} })).toContain("most is needed");
  });

  test("when it changed since the run started", async () => {
    const module = join(folder, "pinned.mjs");
    await writeFile(module, "export default () => true;\n");
    const hash = await hashModule(module);
    opened.push(await customStrategy({ module, hash }));
    await writeFile(module, "export default () => false;\n");
    const actual = await hashModule(module);
    await expect(customStrategy({ module, hash })).rejects.toThrow(
      `changed since the run started (expected sha256 ${hash.slice(0, 12)}…, found ${actual.slice(0, 12)}…); ` +
        "restore it or start a new run",
    );
  });
});

describe("a strategy that misbehaves fails the decision, not the process:", () => {
  test.each([
    ["an error", "error", /^threw RangeError: cannot count that far \(throws\.mjs:6\) \(iteration 4\)$/],
    ["words", "text", /^threw 'just words' \(iteration 4\)$/],
    ["something hostile", "hostile", /^threw \{ message: \[Getter\] \} \(iteration 4\)$/],
    [
      "an error nobody catches",
      "later",
      /^broke its thread: Error: nobody catches me \(throws\.mjs:\d+\) \(iteration 4\)$/,
    ],
  ])("it throws %s", async (_what, exported, message) => {
    expect(await failure("throws.mjs", { export: exported })).toMatch(message);
  });

  test.each(["forAnswer", "spinning"])("it hangs (%s)", async (exported) => {
    expect(await failure("hangs.mjs", { export: exported, timeoutMs: 3000 })).toBe(
      "did not decide within 3s (iteration 4)",
    );
  });

  test("it calls process.exit()", async () => {
    expect(await failure("exits.mjs")).toBe(
      "ended its thread with exit code 3; it must not call process.exit() (iteration 4)",
    );
  });

  test("it runs out of memory", async () => {
    expect(await failure("leaks.mjs", { timeoutMs: 50_000 })).toMatch(
      /^broke its thread: .*memory.* \(iteration 4\)$/,
    );
  });

  test.each([
    ["nothing", "got undefined"],
    ["nullish", "got null"],
    ["number", "got 42"],
    ["text", "got 'continue'"],
    ["list", "got [ true ]"],
    ["noContinue", "got { reason: 'forgot' }: continue: "],
    ["wordyContinue", "got { continue: 'yes' }: continue: "],
    ["overconfident", "got { continue: true, confidence: 1.5 }: confidence: "],
    ["notANumber", "got { continue: true, confidence: NaN }: confidence: "],
    ["numericFeedback", "got { continue: true, feedback: 7 }: feedback: "],
    ["withFunction", "it holds something that cannot be copied"],
    ["withCircle", "metadata: cannot be stored as JSON"],
    ["withBigInteger", "metadata: cannot be stored as JSON"],
    ["huge", "metadata: longer than 64000 characters"],
    ["contradictory", "accept and wait go with continue: false"],
    ["symbol", "got Symbol(continue): it holds something that cannot be copied"],
    ["enormous", "got 'xxx"],
  ])("it returns an invalid answer (%s)", async (exported, words) => {
    const message = await failure("rubbish.mjs", { export: exported });
    expect(message).toContain("expected { continue: boolean, reason?: string");
    expect(message).toContain(words);
    expect(message).toMatch(/ \(iteration 4\)$/);
    expect(message.length).toBeLessThan(800);
  });

  test("it rolls back to an iteration that does not exist", async () => {
    expect(await failure("plain-function.mjs", { export: "rollingBack" })).toBe(
      "rollbackTo is 5, but the last iteration is 4 (iteration 4)",
    );
  });

  test("it mutates its copy of the run, which leaves the run unchanged", async () => {
    const run = aRun(2);
    const strategy = await open("mutates-run.mjs");
    expect(await strategy(run)).toMatchObject({ continue: true, reason: "left 0" });
    expect(run).toEqual(aRun(2));
  });

  test("it posts its own messages, which are ignored", async () => {
    expect(await (await open("posts.mjs"))(aRun(1))).toMatchObject({ reason: "meant" });
  });

  test("repeats the first cause after its thread has ended", async () => {
    const strategy = await open("exits.mjs");
    await expect(strategy(aRun(1))).rejects.toThrow("exit code 3");
    await expect(strategy(aRun(2))).rejects.toThrow(/exit code 3.*\(iteration 2\)/);
  });

  test("decides again after an invalid answer", async () => {
    const strategy = await open("plain-function.mjs", { export: "rollingBack" });
    const both = await Promise.allSettled([strategy(aRun(1)), strategy(aRun(2))]);
    expect(both.map((settled) => settled.status === "rejected" && settled.reason.message)).toEqual([
      expect.stringContaining("(iteration 1)"),
      expect.stringContaining("(iteration 2)"),
    ]);
  });
});

describe("closing", () => {
  test("calls the strategy's end callback", async () => {
    const file = join(folder, "calls.txt");
    const { strategy, close } = await customStrategy({
      module: fixture("nine-methods.mjs"),
      config: { file },
    });
    await strategy(aRun(1));
    await close();
    expect((await readFile(file, "utf8")).split("\n").at(-1)).toBe("onLoopEnd 1 continue");
  });

  test("does not wait for a strategy that hangs at the end", async () => {
    const { strategy, close } = await customStrategy({ module: fixture("hangs.mjs"), export: "atEnd" });
    await strategy(aRun(1));
    await close();
    await expect(strategy(aRun(2))).rejects.toThrow(ExtensionError);
  });

  test("aborts a pending decision", async () => {
    const { strategy, close } = await customStrategy({ module: fixture("hangs.mjs"), export: "spinning" });
    const decision = expect(strategy(aRun(1))).rejects.toThrow("is closed (iteration 1)");
    // The request is posted in a microtask, so close after it.
    await Promise.resolve();
    await close();
    await decision;
  });
});

test("a pending decision keeps the process alive, an idle thread does not, and printing leaves stdout alone", async () => {
  const built = join(root, "dist/catalog/custom/custom-strategy.js");
  const script = join(folder, "script.mjs");
  await writeFile(
    script,
    `
    const { customStrategy } = await import(${JSON.stringify(built)});
    const { strategy } = await customStrategy({ module: ${JSON.stringify(fixture("prints.mjs"))} });
    const decision = await strategy(${JSON.stringify(aRun(1))});
    process.stdout.write(JSON.stringify(decision));`,
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { timeout: 30_000 });
  expect(JSON.parse(stdout)).toEqual({ continue: true, reason: "red", confidence: 0.5 });
  expect(stderr).toContain("thinking aloud\nand again\n");
});
