import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { asked, ranIn, runTask, taskFile } from "../support/run-task.ts";
import { type Answer, type Sandbox, sandbox } from "../support/sandbox.ts";

const agent = { type: "scripted", iterations: [[{ run: "echo more >> n" }]] };
const RED = { name: "red", command: "false" };
const custom = (options: object = {}) => ({
  agent,
  gates: [RED],
  strategy: { type: "custom", module: "./strategy.mjs", ...options },
});

/** Stops after two iterations, with a reason. */
const STOPS_AFTER_TWO = `export default (run) => ({
  continue: run.iterations.length < 2, reason: "iteration " + run.iterations.length, confidence: 0.5 });`;

async function nothingStarted(box: Sandbox): Promise<void> {
  expect(await asked(box, "ls")).toEqual([]);
  expect(box.exists("n")).toBe(false);
}

describe("custom: loading and input", () => {
  it("loads a module relative to the task file, whatever the current directory", async () => {
    const box = sandbox();
    box.write({
      "tasks/fix.yaml": taskFile(custom({ module: "./own/strategy.mjs" }))["converge.yaml"] ?? "",
      "tasks/own/strategy.mjs": STOPS_AFTER_TWO,
    });
    const ran = ranIn(box, await box.converge("run", "tasks/fix.yaml", "--json"));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2, reason: "iteration 2" });
  });

  it("loads a module from an absolute path", async () => {
    const box = sandbox();
    const module = path.join(fs.mkdtempSync(path.join(path.dirname(box.dir), "elsewhere-")), "mine.mjs");
    fs.writeFileSync(module, STOPS_AFTER_TWO);
    box.write(taskFile(custom({ module })));
    expect(ranIn(box, await box.converge("run", "--json"))).toMatchObject({ iterations: 2 });
  });

  it("uses the named export and passes its config", async () => {
    const module = `export default () => { throw new Error("not this one"); };
      export class Patient {
        constructor(config) { this.config = config; }
        decide(run) {
          const { most, words } = this.config;
          return { continue: run.iterations.length < most, reason: words.join(" ") };
        }
      }`;
    const options = { export: "Patient", config: { most: 3, words: ["as", "configured"] } };
    const ran = await runTask(custom(options), { "strategy.mjs": module });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 3, reason: "as configured" });
  });

  it.each([
    ["a plain function", "export default (run) => ({ continue: run.iterations.length < 2 });"],
    ["a factory", "export default ({ n }) => (run) => ({ continue: run.iterations.length < n });"],
    ["an object", "export default { decide: async (run) => run.iterations.length < 2 };"],
    ["a class", "export default class { decide(run) { return run.iterations.length < 2; } }"],
    [
      "the shape with onIterationComplete",
      "export default { onIterationComplete: (event) => ({ continue: event.totalIterations < 2, reason: 'x' }) };",
    ],
    [
      "the shape with shouldContinue and its lifecycle",
      `export default class {
        initialize({ n }) { this.most = n; this.seen = 0; }
        onIterationStart() { this.seen += 1; }
        shouldContinue() {
          const more = this.seen < this.most;
          return { shouldContinue: more, action: more ? "continue" : "fail", reason: "x" };
        }
      }`,
    ],
  ])("accepts %s as a strategy", async (_, module) => {
    const ran = await runTask(custom({ config: { n: 2 } }), { "strategy.mjs": module });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
  });

  it("loads a .ts module where Node can, else says what to do", async () => {
    const typed =
      "const most: number = 2;\nexport default (run: any): boolean => run.iterations.length < most;\n";
    const ran = await runTask(custom({ module: "./strategy.ts" }), { "strategy.ts": typed });
    const { typescript } = process.features as { readonly typescript?: string | false };
    if (typescript) expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    else
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("compile it or rename to .mjs") });
  });

  it("gets the whole run, and its feedback, confidence and metadata are recorded", async () => {
    const module = `export default (run) => ({
      continue: run.iterations.length < 2,
      reason: [run.id !== "", run.iterations.at(-1).verdicts[0].verdict.status, run.task.limits.iterations].join(),
      confidence: 0.25,
      feedback: "Try the $& other door.",
      metadata: { tries: run.iterations.length },
    });`;
    const ran = await runTask(custom(), { "strategy.mjs": module });
    expect(ran.decisions[0]).toEqual({
      continue: true,
      reason: "true,failed,20",
      confidence: 0.25,
      feedback: "Try the $& other door.",
      metadata: { tries: 1 },
    });
    expect(ran.prompts[1]).toContain("Try the $& other door.");
  });

  it("passing gates end the run, whatever it decides", async () => {
    const task = { ...custom(), gates: ["test -e n"] };
    const ran = await runTask(task, { "strategy.mjs": "export default () => true;" });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });
});

describe("custom: errors", () => {
  const beforeTheStart: readonly [string, string, RegExp][] = [
    [
      "a missing export, listing the others",
      "export const one = 1, two = 2;",
      /has no export "default"; its exports are: one, two/,
    ],
    [
      "an object without decide, naming what is missing",
      "export default { judge() {} };",
      /is not a strategy: missing decide\(run\), shouldContinue\(state\) or onIterationComplete\(event\); it is an object with judge/,
    ],
    [
      "code that cannot be parsed",
      "export default (run => {",
      /cannot be parsed: SyntaxError.*strategy\.mjs:1/,
    ],
    [
      "code that throws while loading",
      'throw new TypeError("no luck");',
      /threw while it was loaded: TypeError: no luck \(strategy\.mjs:1\)/,
    ],
    ["code that hangs while loading", "for (;;);", /did not load within 2s/],
  ];

  it.each(beforeTheStart)("refuses before anything starts: %s", async (_, module, words) => {
    const ran = await runTask(custom({ timeout: "2s" }), { "strategy.mjs": module });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(words);
    await nothingStarted(ran.box);
  });

  it("refuses a missing module before anything starts and names the path", async () => {
    const { box, code, stderr } = await runTask(custom({ module: "./gone.mjs" }));
    expect(code).toBe(2);
    expect(stderr).toContain("custom strategy ./gone.mjs: not found");
    expect(stderr).toContain(path.join(box.dir, "gone.mjs"));
    await nothingStarted(box);
  });

  it.each([
    [
      "that throws",
      'export default { decide() { throw new Error("no idea"); } };',
      /threw Error: no idea \(strategy\.mjs:1\)/,
    ],
    ["that hangs", "export default { decide() { for (;;); } };", /did not decide within 2s/],
    [
      "that never answers",
      "export default { decide: () => new Promise(() => {}) };",
      /did not decide within 2s/,
    ],
    [
      "that returns an invalid value",
      'export default { decide: () => "maybe" };',
      /expected \{ continue: boolean.*got 'maybe'/,
    ],
    [
      "that returns an invalid confidence",
      "export default { decide: () => ({ continue: true, confidence: 7 }) };",
      /expected \{ continue: boolean.*confidence/,
    ],
    [
      "that ends its process",
      "export default { decide: () => process.exit(0) };",
      /must not call process\.exit\(\)/,
    ],
  ])("a strategy %s ends the run as error, with the iteration and the cause", async (_, module, words) => {
    const ran = await runTask(custom({ timeout: "2s" }), { "strategy.mjs": module });
    expect(ran).toMatchObject({ code: 5, outcome: "error", iterations: 1 });
    expect(ran.reason).toMatch(words);
    expect(ran.reason).toContain("custom strategy ./strategy.mjs: ");
    expect(ran.reason).toContain("(iteration 1)");
  });
});

describe("custom: its content is pinned for the run", () => {
  const refusedAsChanged = async (box: Sandbox, { code, stderr }: Answer, events: number) => {
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /custom strategy .*strategy\.mjs: changed since the run started \(expected sha256 /,
    );
    expect(await box.events()).toHaveLength(events);
  };

  it("resume refuses a module changed while the run waits, and leaves the run unchanged", async () => {
    const waits = "export default () => ({ continue: false, wait: true, reason: 'a person, please' });";
    const { box, code, events } = await runTask(custom(), { "strategy.mjs": waits });
    expect(code).toBe(4);
    await box.converge("decide", "last", "continue");
    box.write({ "strategy.mjs": `${waits} // changed` });
    await refusedAsChanged(box, await box.converge("resume", "last"), events.length);
    box.write({ "strategy.mjs": waits });
    expect(ranIn(box, await box.converge("resume", "last", "--json"))).toMatchObject({
      code: 4,
      iterations: 1,
    });
  });

  it("resume refuses a module changed after a kill -9, and continues once it is restored", async () => {
    const box = sandbox();
    const hanging = {
      type: "scripted",
      iterations: [[{ write: { n: "" } }], [{ run: "test -e go || sleep 60" }]],
    };
    box.write({ ...taskFile({ ...custom(), agent: hanging }), "strategy.mjs": STOPS_AFTER_TWO });
    const { child, answer, until } = box.start(["run", "--json"]);
    await until(/"iteration.started","iteration":2/);
    child.kill("SIGKILL");
    await answer;
    const before = (await box.events()).length;
    box.write({ "strategy.mjs": STOPS_AFTER_TWO.replace("2", "9"), go: "" });
    await refusedAsChanged(box, await box.converge("resume", "last"), before);
    box.write({ "strategy.mjs": STOPS_AFTER_TWO });
    const resumed = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(resumed).toMatchObject({ code: 1, outcome: "diverged", reason: "iteration 2" });
  });

  it("ignores a change by the agent during the run", async () => {
    const sabotage = {
      type: "scripted",
      iterations: [[{ write: { "strategy.mjs": "export default () => true;" } }]],
    };
    const files = { "strategy.mjs": STOPS_AFTER_TWO };
    for (const [protect, left] of [
      ["off", "export default () => true;"],
      ["on", STOPS_AFTER_TWO],
    ]) {
      const ran = await runTask({ ...custom(), agent: sabotage, protect }, files);
      expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2, reason: "iteration 2" });
      expect(ran.box.read("strategy.mjs")).toBe(left);
    }
  });
});
