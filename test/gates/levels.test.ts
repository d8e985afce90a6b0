import { describe, expect, it } from "vitest";
import { converge, fixed, levels } from "../../src/index.ts";
import { type Ran, runTask, taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
const writes = (files: object) => [{ write: files }];

const GATE = {
  name: "levels",
  type: "levels",
  contracts: {
    required: ["README.md"],
    forbidden: [{ name: "no eval", pattern: "\\beval\\(", files: "src/**" }],
    schemas: [{ files: "package.json", schema: { type: "object", required: ["name"] } }],
  },
  tests: {
    setup: ["test -d src"],
    commands: ["node --test test/", { name: "lint", command: "test ! -e bad" }],
  },
  blackBox: [
    {
      name: "adds",
      command: ["node", "src/cli.mjs"],
      stdin: '{"a": 1, "b": 2}',
      expect: { stdout: { json: { sum: 3 }, excludes: "NaN" } },
    },
  ],
  sanity: {
    conflictMarkers: "fail",
    untested: "warn",
    largeFiles: { action: "warn", limit: "1KB", files: "*.md" },
  },
};
const START = {
  "package.json": '{"name": "sums", "type": "module"}\n',
  "src/sum.js": "export const sum = (a, b) => a - b;\n",
  "test/sum.test.js":
    'import test from "node:test";\nimport assert from "node:assert";\nimport { sum } from "../src/sum.js";\ntest("adds", () => assert.equal(sum(1, 2), 3));\n',
};
const SUM = { "src/sum.js": "export const sum = (a, b) => a + b;\n" };
const CLI = `import fs from "node:fs";
import { sum } from "./sum.js";
const { a, b } = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify({ sum: sum(a, b) }));
`;
/** Level by level: contracts, then tests, then black-box with an unfinished merge, then all. */
const STEPS = script(
  writes({ "README.md": "# Sums\n" }),
  writes(SUM),
  writes({ "src/cli.mjs": CLI, "notes.md": "<<<<<<< ours\n" }),
  writes({ "notes.md": "x".repeat(2000) }),
);

const verdicts = ({ events }: Ran) => ofType(events, "gate.judged").map(({ verdict }) => verdict);

describe("levels", () => {
  it("run in order, stop after a failed level, and each passed level raises the score", async () => {
    const strategy = { type: "fixed", iterations: 9 };
    const ran = await runTask({ agent: STEPS, gates: [GATE], strategy }, START);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 4 });
    const judged = verdicts(ran).map(({ status, levels, score }) => [status, levels, score * 12]);
    expect(judged).toEqual([
      ["failed", 0, expect.closeTo(2)],
      ["failed", 1, expect.closeTo(5)],
      ["failed", 2, expect.closeTo(7)],
      ["failed", 3, expect.closeTo(11)],
      ["passed", 4, 12],
    ]);
  });

  it("each check has its own result, and each failed check its own failure, in the events", async () => {
    const ran = await runTask(
      {
        agent: script(writes({ "README.md": "# Sums\n" })),
        gates: [GATE],
        strategy: { type: "fixed", iterations: 1 },
      },
      { ...START, bad: "" },
    );
    const [, verdict] = verdicts(ran);
    expect(verdict?.checks).toEqual([
      { id: "L0 required: README.md", status: "passed" },
      { id: "L0 forbidden: no eval", status: "passed" },
      { id: "L0 schema: package.json", status: "passed" },
      { id: "L1 setup: test -d src", status: "passed" },
      { id: "L1 tests: node --test test/", status: "failed" },
      { id: "L1 tests: lint", status: "failed" },
      { id: "L2 adds: exit code", status: "not-run" },
      { id: 'L2 adds: stdout excludes "NaN"', status: "not-run" },
      { id: "L2 adds: stdout is the expected JSON", status: "not-run" },
      { id: "L3 large files", status: "not-run" },
      { id: "L3 conflict markers", status: "not-run" },
      { id: "L3 new source without tests", status: "not-run" },
    ]);
    expect(verdict?.failures).toMatchObject([
      { id: "L1 node --test test/: adds", location: "test/sum.test.js:4", expected: "3", actual: "-1" },
      { id: "L1 tests: lint", message: "exit code 1" },
      { message: "not run: level 2 (black-box, 3 checks), level 3 (sanity, 3 checks)" },
    ]);
  });

  it("the next prompt and the output name the failed checks and the levels not run", async () => {
    const box = sandbox();
    const strategy = { type: "fixed", iterations: 2 };
    box.write({ ...START, ...taskFile({ agent: STEPS, gates: [GATE], strategy }) });
    const { stdout } = await box.converge("run");
    expect(stdout).toMatch(/level 0 \(contracts\) failed: 1 of 3 checks: L0 required: README\.md/);
    const [first] = ofType(await box.events(), "iteration.started");
    expect(first?.prompt).toContain("| L0 required: README.md (README.md): expected a file");
    expect(first?.prompt).toContain("| not run: level 1 (tests, 3 checks), level 2");
  });

  it("warnings are shown and do not fail", async () => {
    const ran = await runTask(
      { agent: STEPS, gates: [GATE], strategy: { type: "fixed", iterations: 9 } },
      START,
    );
    const last = verdicts(ran).at(-1);
    expect(last?.status).toBe("passed");
    expect(last?.summary).toBe(
      "levels 0, 1, 2, 3 passed, 12 checks; 2 warnings: L3 large files: notes.md (notes.md), L3 new source without tests: src/cli.mjs (src/cli.mjs)",
    );
    expect(last?.checks?.filter(({ status }) => status === "warned")).toHaveLength(2);
  });

  it("hybrid completes at minLevel, and not below", async () => {
    const reached = async (minLevel: number) => {
      const strategy = { type: "hybrid", baseIterations: 9, minLevel };
      const ran = await runTask({ agent: STEPS, gates: [GATE], strategy }, START);
      return [ran.outcome, ran.partial, ran.iterations, ran.reason];
    };
    expect(await reached(0)).toEqual(["converged", true, 1, "iteration 1 reached verification level 0"]);
    expect(await reached(2)).toEqual(["converged", true, 3, "iteration 3 reached verification level 2"]);
    expect((await reached(3)).slice(0, 3)).toEqual(["converged", false, 4]);
  });

  it("refuses a pattern with catastrophic backtracking, with its location, before anything runs", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": [
        "prompt: Do it.",
        "agent: {type: command, command: touch ran}",
        "gates:",
        "  - type: levels",
        "    contracts:",
        "      forbidden:",
        "        - {files: 'src/**', pattern: '(a+)+$'}",
      ].join("\n"),
    });
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(2);
    expect(stderr).toContain(
      "converge.yaml:7:38: gates[0].contracts.forbidden[0].pattern: expected a regular",
    );
    expect(stderr).toContain("catastrophic backtracking");
    expect(box.exists("ran")).toBe(false);
  });

  it("refuses a gate without checks", async () => {
    const box = sandbox();
    box.write(taskFile({ agent: script([]), gates: [{ type: "levels", contracts: {} }] }));
    const { code, stderr } = await box.converge("validate");
    expect(code).toBe(2);
    expect(stderr).toContain("nothing to run is not a pass");
  });

  it("works from TypeScript", async () => {
    const box = sandbox();
    box.write(START);
    const { name: _name, type: _type, ...options } = GATE;
    const result = await converge(
      { prompt: "Add.", agent: STEPS, gates: [levels(options)], strategy: fixed(9) },
      { cwd: box.dir, home: box.home },
    );
    expect(result).toMatchObject({ outcome: "converged", iterations: 4 });
    expect(result.run.iterations.map(({ verdicts: [only] }) => only?.verdict.levels)).toEqual([1, 2, 3, 4]);
  });
});
