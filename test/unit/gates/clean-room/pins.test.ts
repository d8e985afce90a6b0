import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { programsOf } from "#gates/clean-room/named-programs";
import { changedPin, roomPins } from "#gates/clean-room/pins";
import type { Component, Task } from "#spec/task";
import { exampleGate, exampleTask } from "#testing/run";
import { temporary } from "../../../support/folders.ts";

function taskWith(use: Component, setup: readonly string[] = []): Task {
  const gate = exampleGate("tests");
  return exampleTask({
    gates: [{ ...gate, use, policy: { ...gate.policy, cleanRoom: true } }],
    cleanRoom: { setup, setupMs: 1, cache: [], env: [] },
  });
}

const programsIn = (command: unknown, type = "command") =>
  programsOf(taskWith({ type, command })).filter(
    (name) => !["/bin/sh", "sh", "bash", "env", "node", "npm", "npx", "git"].includes(name),
  );

describe("the programs in commands", () => {
  it.each([
    ["pytest -q", ["pytest"]],
    ["cd sub && FOO=1 make -j 4 test | tee log", ["make", "tee"]],
    ["if ! cargo test; then exit 1; fi", ["cargo"]],
    ["timeout 60 go test ./... || (rm -rf x; false)", ["timeout", "go", "rm"]],
    ["echo 'a; b && c' > $OUT", []],
    ["./run.sh /opt/tool/bin/check", ["./run.sh"]],
    ["x=$(jq .a b.json)", ["jq"]],
    [["/opt/tool/bin/check", "pytest"], ["/opt/tool/bin/check"]],
    [["test", "-f", "x"], ["test"]],
  ])("%j: %j", (command, programs) => {
    expect(programsIn(command)).toEqual(programs);
  });

  it("are found at any depth of a gate's options and in the set-up", () => {
    const task = taskWith(
      { type: "levels", tests: { setup: ["make deps"], commands: ["pytest", ["ruff", "check"]] } },
      ["uv sync"],
    );
    expect(programsOf(task)).toEqual(expect.arrayContaining(["make", "pytest", "ruff", "uv"]));
    expect(programsOf(task)).not.toContain("check");
  });
});

/** Points HOME and PATH at temporary folders for one test. */
function machine() {
  const root = temporary();
  const [home = "", bin = "", early = ""] = ["home", "bin", "early"].map((name) => path.join(root, name));
  for (const dir of [home, bin, early]) fs.mkdirSync(dir);
  const { HOME, PATH } = process.env;
  onTestFinished(() => void Object.assign(process.env, { HOME, PATH }));
  Object.assign(process.env, { HOME: home, PATH: `${early}:${bin}:${PATH}` });
  const tool = (file: string, text: string) =>
    fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return { root, home, bin, early, tool };
}

describe("pinned tools and settings", () => {
  const pinned = (root: string, command: string) =>
    roomPins(taskWith({ type: "command", command }), {
      workspaces: ["/project"],
      rooms: path.join(root, "rooms"),
    });
  const change = (pins: Readonly<Record<string, string>>) => changedPin({ pins }, process.env.PATH ?? "");

  it("are empty when no gate runs in a clean room", () => {
    const places = { workspaces: [], rooms: "/rooms" };
    expect(roomPins(exampleTask(), places)).toEqual({});
  });

  it("detect a changed program", () => {
    const { root, bin, tool } = machine();
    tool(path.join(bin, "checker"), "exit 1");
    const pins = pinned(root, "checker");
    expect(pins[`tool checker: ${bin}/checker`]).toMatch(/^[0-9a-f]{64}$/);
    expect(change(pins)).toBeUndefined();
    tool(path.join(bin, "checker"), "exit 0");
    expect(change(pins)).toMatch(/bin\/checker was changed after the run had started; undo that/);
  });

  it("detect a program that shadows another on the PATH or was missing before", () => {
    const { root, bin, early, tool } = machine();
    tool(path.join(bin, "checker"), "exit 1");
    const pins = pinned(root, "checker && missing-tool");
    tool(path.join(early, "checker"), "exit 0");
    expect(change(pins)).toContain(`checker is now ${early}/checker, and was ${bin}/checker`);
    fs.rmSync(path.join(early, "checker"));
    expect(change(pins)).toBeUndefined();
    tool(path.join(early, "missing-tool"), "exit 0");
    expect(change(pins)).toContain(`missing-tool is now ${early}/missing-tool, and was not installed`);
  });

  it("detect a symlink with a new target, even with the same bytes", () => {
    const { root, bin, early, tool } = machine();
    for (const dir of [root, early]) tool(path.join(dir, "real"), "exit 1");
    fs.symlinkSync(path.join(root, "real"), path.join(bin, "checker"));
    const pins = pinned(root, "checker");
    fs.rmSync(path.join(bin, "checker"));
    fs.symlinkSync(path.join(early, "real"), path.join(bin, "checker"));
    expect(change(pins)).toContain(`checker is now ${bin}/checker -> ${early}/real`);
  });

  it("detect created, changed and deleted user settings, and node_modules above the rooms", () => {
    const { root, home } = machine();
    fs.writeFileSync(path.join(home, ".gitconfig"), "[user]\n");
    const pins = pinned(root, "true");
    expect(pins[`setting: ${home}/.npmrc`]).toBe("");
    fs.writeFileSync(path.join(home, ".npmrc"), "script-shell=x");
    expect(change(pins)).toContain(`${home}/.npmrc, which tools read, was created`);
    fs.rmSync(path.join(home, ".npmrc"));
    fs.writeFileSync(path.join(home, ".gitconfig"), "[alias]\n");
    expect(change(pins)).toContain(`${home}/.gitconfig, which tools read, was changed`);
    fs.rmSync(path.join(home, ".gitconfig"));
    expect(change(pins)).toContain(`${home}/.gitconfig, which tools read, was deleted`);
    fs.writeFileSync(path.join(home, ".gitconfig"), "[user]\n");
    fs.mkdirSync(path.join(root, "node_modules"));
    expect(change(pins)).toContain(`${root}/node_modules, which tools read, was created`);
  });
});
