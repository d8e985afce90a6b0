import { describe, expect, it } from "vitest";
import { folder, problemsIn, problemsOf, read, readYaml } from "./fixtures.ts";

const HEAD = "prompt: p\nagent: {type: command, command: c}\n";
const GATE = "gates: [{name: tests, command: npm test}]\n";

const roomOf = async (text: string, files: Record<string, string> = {}) =>
  (await readYaml(HEAD + GATE + text, files)).task.cleanRoom;

describe("the clean room of a task", () => {
  it("is absent unless a gate asks for it", async () => {
    expect(await roomOf("")).toBeUndefined();
    expect(await roomOf("cleanRoom: off\n")).toBeUndefined();
  });

  it.each([
    ["package-lock.json", "{}", "npm ci"],
    ["npm-shrinkwrap.json", "{}", "npm ci"],
    ["pnpm-lock.yaml", "", "pnpm install --frozen-lockfile"],
    ["yarn.lock", "# yarn lockfile v1\n", "yarn install --frozen-lockfile"],
    ["yarn.lock", "__metadata:\n  version: 8\n", "yarn install --immutable"],
    ["bun.lock", "{}", "bun install --frozen-lockfile"],
  ])("derives its setup from %s containing %j: %s", async (lock, text, command) => {
    expect(await roomOf("cleanRoom: on\n", { [lock]: text })).toEqual({
      setup: [command],
      setupMs: 600_000,
      cache: [{ path: "node_modules", key: [lock, "package.json", ".npmrc"] }],
      env: [],
    });
  });

  it("has no cache in a monorepo, and no setup without a lockfile", async () => {
    const files = { "package-lock.json": "{}", "package.json": '{"workspaces":["packages/*"]}' };
    expect(await roomOf("cleanRoom: on\n", files)).toMatchObject({ setup: ["npm ci"], cache: [] });
    expect(await roomOf("cleanRoom: on\n")).toMatchObject({ setup: [], cache: [] });
  });

  it("uses the options of the task", async () => {
    const text =
      "cleanRoom: {setup: [make deps, make build], setupTimeout: 90s, cache: {deps: [a.lock, b.lock]}, env: TOKEN}\n";
    expect(await roomOf(text, { "package-lock.json": "{}" })).toEqual({
      setup: ["make deps", "make build"],
      setupMs: 90_000,
      cache: [{ path: "deps", key: ["a.lock", "b.lock"] }],
      env: ["TOKEN"],
    });
    for (const off of ["[]", "none"])
      expect(await roomOf(`cleanRoom: {setup: ${off}}\n`, { "package-lock.json": "{}" })).toMatchObject({
        setup: [],
        cache: [],
      });
  });

  it("applies to all gates except those that opt out or read no files", async () => {
    const gates =
      "gates: [{name: a, command: x}, {name: b, command: x, cleanRoom: false}, {name: c, type: approval}]\n";
    const { task } = await readYaml(`${HEAD}${gates}cleanRoom: on\n`);
    expect(task.gates.map((gate) => gate.policy.cleanRoom)).toEqual([true, undefined, undefined]);
  });
});

describe("an invalid clean room", () => {
  it("is rejected when its options would have no effect", async () => {
    const none = "gates: [{command: x, cleanRoom: false}]\ncleanRoom: {setup: make}\n";
    expect(await problemsIn(HEAD + none)).toEqual([
      "converge.yaml:4:1: cleanRoom has options, but no gate judges in a clean room; remove the options, or set cleanRoom: true on a gate",
    ]);
    expect(await problemsIn(`${HEAD}${GATE}cleanRoom: {setup: none, cache: {deps: lock}}\n`)).toEqual([
      "converge.yaml:4:26: cleanRoom.cache keeps the output of setup, but there is no setup; add cleanRoom.setup",
    ]);
  });

  it("is rejected when its cache is outside the workspace", async () => {
    const text = "cleanRoom: {setup: make, cache: {../deps: lock, deps: /etc/passwd, more: [], .: lock}}\n";
    expect(await problemsIn(HEAD + GATE + text)).toEqual([
      'converge.yaml:4:34: cleanRoom.cache: expected a folder inside the workspace, got "../deps"',
      'converge.yaml:4:55: cleanRoom.cache: expected a file inside the workspace, got "/etc/passwd"',
      'converge.yaml:4:74: cleanRoom.cache: expected the files that "more" is built from, got none',
      'converge.yaml:4:78: cleanRoom.cache: expected a folder inside the workspace, got "."',
    ]);
  });

  it("is rejected when it passes a variable that changes how tools behave", async () => {
    const problems = await problemsIn(`${HEAD}${GATE}cleanRoom: {env: [TOKEN, NODE_OPTIONS, "A=1"]}\n`);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^converge.yaml:4:26: cleanRoom.env: NODE_OPTIONS changes how tools behave/);
    expect(problems[1]).toContain('expected the name of a variable, got "A=1"');
  });

  it("is rejected when a gate uses the absolute path of the workspace", async () => {
    const cwd = folder();
    const gates = [{ name: "tests", command: `node ${cwd}/check.js`, cleanRoom: true }];
    const flags = { prompt: "p", agent: { type: "command", command: "c" }, gates };
    expect(await problemsOf(read({ cwd, flags }))).toEqual([
      `command line: gates[0] uses the absolute path ${cwd}, but a clean room is another folder; write paths relative to the workspace`,
    ]);
  });
});
