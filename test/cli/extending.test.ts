// The examples of docs/extending.md: every diff is applied to a copy of the repository, which is built once and then used.
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanEnvironment, ofType, sandbox } from "../support/sandbox.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** For a machine with two busy cores. */
const BUILD_MS = 300_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A diff of the page, and the heading above it. */
interface Example {
  readonly heading: string;
  readonly diff: string;
  /** Files that it adds or changes. */
  readonly files: readonly string[];
}

const examples = readExamples(fs.readFileSync(path.join(ROOT, "docs/extending.md"), "utf8"));
const files = [...new Set(examples.flatMap((example) => example.files))];
const copy = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-extending-")));

function readExamples(page: string): Example[] {
  return page.split(/^(?=##+ )/m).flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    return [...section.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff = ""]) => {
      const changed = [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = ""]) => file);
      return { heading, diff, files: changed };
    });
  });
}

/** Runs a program in the copy. A failure shows what the program printed. */
async function execute(program: string, ...args: string[]): Promise<void> {
  const options = { cwd: copy, env: cleanEnvironment(), maxBuffer: MAX_BYTES };
  await promisify(execFile)(program, args, options).catch((error) => {
    throw new Error(`${program} ${args.join(" ")} failed:\n${error.stdout}${error.stderr}`);
  });
}

const executeTool = (name: string, ...args: string[]) =>
  execute(path.join(copy, "node_modules/.bin", name), ...args);

async function copyTrackedFiles(): Promise<void> {
  const options = { cwd: ROOT, maxBuffer: MAX_BYTES };
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z"], options);
  const isFile = (name: string) => name !== "" && fs.existsSync(path.join(ROOT, name));
  for (const file of stdout.split("\0").filter(isFile))
    fs.cpSync(path.join(ROOT, file), path.join(copy, file));
  fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
}

async function applyExamples(): Promise<void> {
  // In a repository of its own, `git apply` works wherever the temporary folder is.
  await execute("git", "init", "--quiet");
  for (const [index, { diff }] of examples.entries()) {
    const patch = path.join(copy, `${index}.patch`);
    fs.writeFileSync(patch, diff);
    await execute("git", "apply", "--whitespace=error", patch);
    fs.rmSync(patch);
  }
}

/** As `npm run build`. The compiler keeps its state in the copy, because `node_modules` is shared. */
async function buildCommandLine(): Promise<void> {
  const state = path.join(copy, "build.tsbuildinfo");
  await executeTool("tsc", "-p", "tsconfig.build.json", "--tsBuildInfoFile", state);
  await execute(process.execPath, "scripts/bundle.mjs");
}

async function buildPage(): Promise<void> {
  await executeTool("tsc", "-p", "dashboard");
  await executeTool("vite", "build", "dashboard", "--logLevel", "warn");
}

/** A workspace, the command line of the copy, and a program `toy` with the given shell script. */
function toyBox(script: string) {
  const box = sandbox(path.join(copy, "bin/converge.js"));
  const root = path.dirname(box.dir);
  const bin = path.join(root, "bin");
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, "toy"), `#!/bin/sh\ncat > /dev/null\n${script}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: root, TOY_API_KEY: "toy-0123456789" };
  return { ...box, converge: (...args: string[]) => box.start(args, env).answer };
}

const say = (text: string) => `echo '${JSON.stringify({ say: text })}'`;

/** Removes one of two marks in the first iteration and adds two in the second. */
const IMPROVE_THEN_SPOIL = `
case $(grep -c TODO sum.ts) in
  2) echo '// TODO: one' > sum.ts ;;
  *) printf '// TODO: one\\n// TODO: two\\n// TODO: three\\n' > sum.ts ;;
esac
${say("I edited sum.ts.")}`;

/** A run with all four parts: it improves, gets worse, and stops. */
async function runUntilWorse() {
  const box = toyBox(IMPROVE_THEN_SPOIL);
  const parts = { agent: "toy", strategy: "stop-when-worse", memory: "last-message" };
  const task = { prompt: "Finish it.", gates: [{ name: "todo", type: "no-todo" }], ...parts };
  box.write({ "sum.ts": "// TODO: one\n// TODO: two\n", "converge.yaml": JSON.stringify(task) });
  box.commitAll();
  const events = (await box.converge("run", "--json")).events();
  return { box, events };
}

beforeAll(async () => {
  await copyTrackedFiles();
  await applyExamples();
  await Promise.all([buildCommandLine(), buildPage()]);
}, BUILD_MS);

afterAll(() => fs.rmSync(copy, { recursive: true, force: true, maxRetries: 5 }));

describe("the diffs of docs/extending.md", () => {
  it("touch as many files of src and dashboard as their headings say", () => {
    const counts = examples.map(({ heading, files }) => {
      const sources = files.filter((file) => /^(?:src|dashboard)\//.test(file));
      return `${heading.replace(/ \(.*/, "")} (${sources.length} files)`;
    });
    expect(counts).toEqual(examples.map(({ heading }) => heading));
    expect(counts).toHaveLength(8);
  });

  it("obey the rooms and the lint", { timeout: BUILD_MS }, async () => {
    await executeTool("depcruise", "--config", ".dependency-cruiser.mjs", "src");
    await executeTool("biome", "check", "--error-on-warnings", ...files);
  });

  it("pass the conformance suites", { timeout: BUILD_MS }, async () => {
    const suites = files.filter((file) => file.endsWith(".test.ts"));
    expect(suites).toHaveLength(4);
    await executeTool("vitest", "run", ...suites);
  });

  it("gate: no-todo fails with file and line, and passes when the last TODO is gone", async () => {
    const box = toyBox("echo '// done' > sum.ts");
    const task = { prompt: "Finish it.", agent: "toy", gates: [{ name: "todo", type: "no-todo" }] };
    box.write({ "sum.ts": "\n// TODO: negative numbers\n", "converge.yaml": JSON.stringify(task) });
    box.commitAll();
    const answer = await box.converge("run", "--json");
    const [before, after] = ofType(answer.events(), "gate.judged").map(({ verdict }) => verdict);
    expect(before).toMatchObject({
      status: "failed",
      summary: "1 TODO left",
      failures: [{ message: "// TODO: negative numbers", location: "sum.ts:2" }],
    });
    expect(after).toMatchObject({ status: "passed", score: 1 });
    expect(answer.code).toBe(0);
  });

  it("agent: toy runs the program on PATH and reports its message and usage", async () => {
    const box = toyBox(`touch done\n${say("I made the file.")}\necho '{"used":{"input":900,"output":40}}'`);
    const args = ["-p", "Make it.", "--agent", "toy", "--gate", "test -e done", "--json"];
    const answer = await box.converge("run", ...args);
    const [finished] = ofType(answer.events(), "agent.finished");
    expect(finished?.result).toMatchObject({
      ok: true,
      message: "I made the file.",
      usage: { inputTokens: 900, outputTokens: 40 },
    });
    expect(answer.code).toBe(0);
  });

  it("strategy: stop-when-worse stops at the first iteration with a lower score", async () => {
    const { events } = await runUntilWorse();
    const decisions = ofType(events, "decision.made").map(({ decision }) => decision);
    expect(decisions).toMatchObject([
      { continue: true, reason: "on to iteration 2" },
      { continue: false, reason: "iteration 2 is worse: score 25% after 50%" },
    ]);
  });

  it("memory: last-message tells the next iteration what the agent said", async () => {
    const { events } = await runUntilWorse();
    const [first, second] = ofType(events, "iteration.started").map(({ prompt }) => prompt);
    expect(first).not.toContain("I edited sum.ts.");
    expect(second).toContain("The agent of the last iteration said:\n| I edited sum.ts.");
  });

  it("command: count prints the number of runs, as text and as JSON", async () => {
    const { box } = await runUntilWorse();
    expect((await box.converge("count")).stdout).toBe("1 run\n");
    expect(JSON.parse((await box.converge("count", "--json")).stdout)).toEqual({ runs: 1 });
  });

  it("event: label records run.labelled, which watch and show print", async () => {
    const { box } = await runUntilWorse();
    expect(await box.converge("label", "last", "before the rewrite")).toMatchObject({ code: 0, stderr: "" });
    expect((await box.converge("watch", "last")).stdout).toContain("labelled: before the rewrite");
    const { run } = JSON.parse((await box.converge("show", "last", "--json")).stdout);
    expect(run.label).toBe("before the rewrite");
  });

  it("panel: the built page has the changed files per iteration", () => {
    const assets = path.join(copy, "dist/dashboard/assets");
    const scripts = fs.readdirSync(assets).filter((name) => name.endsWith(".js"));
    const text = scripts.map((name) => fs.readFileSync(path.join(assets, name), "utf8")).join("\n");
    expect(text).toContain("Changed files per iteration");
  });
});
