// Runs the hook command as Claude Code does. Any input gets an answer that leaves the session alone.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { folders, temporary } from "../support/folders.ts";

const PROGRAM = path.resolve("bin/converge.js");

function hook(name: string, input: string | Buffer) {
  const { files } = folders();
  const env = { PATH: process.env.PATH, HOME: files, CONVERGE_HOME: path.join(files, "state") };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "hook", name], {
    input,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it("answers {} to a turn without a loop", () => {
  const turn = { session_id: "s", cwd: "/", transcript_path: "/nowhere", last_assistant_message: "Done." };
  expect(hook("claude-stop", JSON.stringify(turn))).toEqual({ status: 0, stdout: "{}\n", stderr: "" });
});

it.each([
  ["no input", ""],
  ["garbage", "\u0000{]"],
  ["65 MiB", Buffer.alloc(65 * 1_048_576, "x")],
])("leaves the session alone on invalid input: %s", (_, input) => {
  const { status, stdout } = hook("claude-stop", input);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    systemMessage: expect.stringContaining("the session was left alone"),
  });
});

it("does not exit 2 on an unknown hook", () => {
  // Exit code 2 would make the session continue.
  expect(hook("claude-stopp", "{}")).toMatchObject({ status: 5, stdout: "" });
  expect(hook("claude-stopp", "{}").stderr).toContain("claude-stop");
});

it("installs a command quoted for the shell, even when the package path needs escaping", () => {
  const there = path.join(temporary(), "it's $HOME here");
  for (const part of ["bin", "dist", "plugins", "package.json"])
    fs.cpSync(part, path.join(there, part), { recursive: true });
  fs.symlinkSync(path.resolve("node_modules"), path.join(there, "node_modules"));
  const { dir, files } = folders();
  const env = { PATH: "/usr/bin:/bin", HOME: files, CONVERGE_HOME: path.join(files, "state") };
  const install = `const { installClaude } = await import("./dist/hooks/install/claude.js");
    installClaude({ scope: "project", dir: ${JSON.stringify(dir)}, env: process.env });`;
  const made = spawnSync(process.execPath, ["--input-type=module", "-e", install], {
    cwd: there,
    env,
    encoding: "utf8",
  });
  expect(made.stderr).toBe("");
  const { hooks } = JSON.parse(fs.readFileSync(path.join(dir, ".claude/settings.json"), "utf8"));
  const [{ command }] = hooks.Stop[0].hooks;
  expect(command).toContain("converge.js");
  const called = spawnSync("/bin/sh", ["-c", command], {
    input: '{"session_id":"s"}',
    env,
    encoding: "utf8",
  });
  expect([called.stdout, called.stderr]).toEqual(["{}\n", ""]);
});
