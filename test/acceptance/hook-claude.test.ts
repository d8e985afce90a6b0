// The command as Claude Code calls it: whatever comes in, an answer goes out that lets the session be.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { folders } from "../support/folders.ts";

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

it("answers a turn without a loop", () => {
  const turn = { session_id: "s", cwd: "/", transcript_path: "/nowhere", last_assistant_message: "Done." };
  expect(hook("claude-stop", JSON.stringify(turn))).toEqual({ status: 0, stdout: "{}\n", stderr: "" });
});

it.each([
  ["nothing", ""],
  ["garbage", "\u0000{]"],
  ["more than anyone means", Buffer.alloc(65 * 1_048_576, "x")],
])("lets the session go when it is given %s", (_, input) => {
  const { status, stdout } = hook("claude-stop", input);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    systemMessage: expect.stringContaining("the session was left alone"),
  });
});

it("does not order the session to go on when it does not know the hook", () => {
  // Exit code 2 would do that.
  expect(hook("claude-stopp", "{}")).toMatchObject({ status: 5, stdout: "" });
  expect(hook("claude-stopp", "{}").stderr).toContain("claude-stop");
});
