import path from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLE, folder, problemsIn, read, readYaml } from "./fixtures.ts";

describe("reading a task", () => {
  it("resolves the example to a complete task", async () => {
    const { cwd, task, hash, sources, warnings } = await readYaml(EXAMPLE, {
      "prompts/fix.hbs": "Do {{task}}",
    });
    expect(task).toEqual({
      prompt: "Make the tests pass without changing them.",
      agents: [{ type: "claude" }],
      rotate: false,
      context: "fresh",
      isolation: { type: "auto", network: true, writable: [] },
      secrets: [],
      prices: {},
      gates: [
        {
          name: "tests",
          use: { type: "command", command: "npm test", timeout: "5m" },
          policy: {
            onFailure: { action: "iterate", maxAttempts: 5, feedback: "auto" },
            onSuccess: "continue",
            condition: "always",
            weight: 1,
          },
        },
      ],
      strategy: { type: "hybrid", baseIterations: 3, bonusIterations: 2 },
      memory: { type: "captured", entries: 5, chars: 500 },
      workspace: { type: "in-place", dir: cwd },
      limits: { iterations: 5, timeMs: 7_200_000, iterationMs: 3_600_000, cost: 20, agentFailures: 3 },
      until: [],
      baseline: true,
      requireChange: false,
      requirePromise: false,
      ignorePreexisting: false,
      onDivergence: "keep-last",
      onResume: "keep",
      protect: {
        paths: [
          { path: "converge.yaml", grows: false, reason: "the task itself" },
          { path: ".npmrc", grows: false, reason: "settings of the package manager" },
          ...["pretest", "posttest"].map((name) => {
            const reason = `the gate runs the npm script ${name}`;
            return { path: "package.json", key: ["scripts", name], grows: false, reason };
          }),
        ],
        action: "restore",
      },
      feedback: { failures: 10, chars: 500, total: 4000 },
      template: { name: path.join("prompts", "fix.hbs"), text: "Do {{task}}" },
      vars: {},
      files: {},
      hooks: {},
    });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(sources).toEqual([path.join(cwd, "converge.yaml"), path.join(cwd, "prompts/fix.hbs")]);
    expect(warnings).toEqual([expect.stringMatching(/^no tests are protected/)]);
  });

  it("hashes tasks independently of key order, and different tasks differently", async () => {
    const cwd = folder({
      "a.yaml": "prompt: x\nprotect: off\nagent: {type: claude, model: m}\nlimits: {cost: 1, time: 60}",
      "b.yaml": "limits: {time: 1m, cost: 1.0}\nagent: {model: m, type: claude}\nprompt: x\nprotect: off",
      "c.yaml": "limits: {time: 1m, cost: 1.0}\nagent: {model: n, type: claude}\nprompt: x\nprotect: off",
    });
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((name) => read({ cwd, file: `${name}.yaml` })));
    expect(a?.hash).toBe(b?.hash);
    expect(a?.hash).not.toBe(c?.hash);
  });

  it("refuses a task without gates, beside its other problems", async () => {
    expect(await problemsIn("agent: claude\ngates: []")).toEqual([
      expect.stringMatching(/^converge.yaml: no prompt;/),
      'converge.yaml:2:8: No gate: nothing can verify the work. Add --gate "npm test" (in a task: gates: ["npm test"]), or use converge ralph (in a task: strategy: ralph)',
    ]);
  });

  it("warns when a strategy decides without gates", async () => {
    const custom = "strategy: {type: custom, module: ./x.mjs}";
    const { task, warnings } = await readYaml(`prompt: x\nagent: claude\n${custom}\ngates: []`);
    expect(task.gates).toEqual([]);
    expect(warnings).toEqual(["no gates: nothing will be verified"]);
  });

  it.each([
    ["a bare command", '["npm test"]', { type: "command", command: "npm test" }, "npm test"],
    ["a command without type", "[{command: npm test}]", { type: "command", command: "npm test" }, "npm test"],
    ["an argv", "[{command: [npm, test]}]", { type: "command", command: ["npm", "test"] }, "npm test"],
    ["a type", "[{type: approval}]", { type: "approval" }, "approval"],
    ["a named type", "[{type: approval, name: Ann}]", { type: "approval" }, "Ann"],
    ["a script", '[{command: "make\\nmake test"}]', { type: "command", command: "make\nmake test" }, "make"],
  ])("names a gate that is %s", async (_, gates, use, name) => {
    const { task } = await readYaml(`prompt: x\nagent: claude\ngates: ${gates}`);
    expect(task.gates).toMatchObject([{ name, use }]);
  });

  it("reads a gate's whole policy", async () => {
    const { task } = await readYaml(`
prompt: x
agent: claude
gates:
  - lint
  - command: test
    onFailure: {action: escalate, maxAttempts: 2, backoff: {delay: 1s, factor: 3, max: 1m}, feedback: none}
    onSuccess: skip-remaining
    condition: on-change
    skipIf: {failed: lint}
    weight: 2.5
  - command: more
    onFailure: stop
  - command: last
    onFailure: {backoff: 30s, feedback: {template: "{{gate}} is red: {{failures}}"}}
`);
    expect(task.gates.map(({ policy }) => policy)).toMatchObject([
      { onFailure: { action: "iterate", feedback: "auto" }, weight: 1 },
      {
        onFailure: {
          action: "escalate",
          maxAttempts: 2,
          backoff: { delayMs: 1000, factor: 3, maxMs: 60_000 },
          feedback: "none",
        },
        onSuccess: "skip-remaining",
        condition: "on-change",
        skipIf: { failed: ["lint"] },
        weight: 2.5,
      },
      { onFailure: { action: "stop", feedback: "auto" } },
      {
        onFailure: {
          backoff: { delayMs: 30_000, factor: 2, maxMs: 600_000 },
          feedback: { template: "{{gate}} is red: {{failures}}" },
        },
      },
    ]);
    expect(task.gates[1]?.use).toEqual({ type: "command", command: "test" });
  });

  it.each([
    ["off", false],
    ["on", true],
    ["false", false],
    ["true", true],
  ])("reads baseline: %s", async (word, expected) => {
    const { task } = await readYaml(`prompt: x\nagent: claude\nbaseline: ${word}`);
    expect(task.baseline).toBe(expected);
  });

  it.each([
    ["worktree", "", "restore"],
    ["in-place", "", "keep"],
    ["worktree", "onResume: keep", "keep"],
    ["in-place", "onResume: restore", "restore"],
  ])("with workspace %s and %j, onResume is: %s", async (type, line, expected) => {
    const { task } = await readYaml(`prompt: x\nagent: claude\nworkspace: ${type}\n${line}`);
    expect(task.onResume).toBe(expected);
  });

  it("reads the remaining keys", async () => {
    const { cwd, task } = await readYaml(
      `
promptFile: what.md
agent: {type: command, command: ./agent.sh}
gates: [{name: a, command: "true"}, {name: b, command: "true"}]
until: a
limits: {iteration: 90, idle: 500ms, tokens: 1000, agentFailures: 1}
requireChange: true
ignorePreexisting: true
promise: ALL GREEN
vars: {style: strict, depth: 3, loud: false}
files: {plan: docs/plan.md}
hooks: {end: notify done}
feedback: {chars: 50}
strategy: {type: custom, module: ./mine.mjs, config: {module: kept}}
`,
      { "what.md": "\ufeffFix it.\n" },
    );
    expect(task).toMatchObject({
      prompt: "Fix it.\n",
      agents: [{ type: "command", command: "./agent.sh" }],
      until: ["a"],
      limits: { iterationMs: 90_000, idleMs: 500, tokens: 1000, agentFailures: 1, iterations: 20 },
      requireChange: true,
      ignorePreexisting: true,
      promise: "ALL GREEN",
      vars: { style: "strict", depth: "3", loud: "false" },
      files: { plan: path.join(cwd, "docs/plan.md") },
      hooks: { end: "notify done" },
      feedback: { failures: 10, chars: 50, total: 4000 },
      strategy: { type: "custom", module: path.join(cwd, "mine.mjs"), config: { module: "kept" } },
    });
    expect(task.limits).not.toHaveProperty("timeMs");
  });

  it("accepts repeated aliases of an anchor", async () => {
    const { task } = await readYaml(`
prompt: x
agent: claude
gates:
  - {name: a, command: a, onFailure: &hard {action: stop}}
  - {name: b, command: b, onFailure: *hard}
`);
    expect(task.gates.map((gate) => gate.policy.onFailure.action)).toEqual(["stop", "stop"]);
  });

  it("needs no file when the flags are complete", async () => {
    const cwd = folder();
    const { task, sources } = await read({
      cwd,
      flags: { prompt: "x", agent: "claude", gates: ["npm test"] },
    });
    expect(task.workspace).toEqual({ type: "in-place", dir: cwd });
    expect(task.gates).toHaveLength(1);
    expect(sources).toEqual([]);
  });
});
