import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { git, openGitShell } from "#system/git";

let dir: string;

beforeEach(() => {
  dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-git-")));
});

afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

async function makeRepository(name: string): Promise<string> {
  const place = path.join(dir, name);
  fs.mkdirSync(place);
  expect(await git(["init", "--quiet"], { cwd: place })).toMatchObject({ code: 0 });
  return place;
}

const pidOf = async (cwd: string): Promise<number> => {
  const shell = openGitShell({ cwd });
  const { stdout } = await shell.script("echo $$");
  shell.close();
  return Number(stdout);
};

it("runs one script after another in the same shell", async () => {
  expect(await pidOf(dir)).toBe(await pidOf(os.tmpdir()));
});

it("sets the git directory, work tree and index anew for each call", async () => {
  const [one, other] = [await makeRepository("one"), await makeRepository("other")];
  const place = { cwd: dir, gitDir: path.join(one, ".git"), workTree: one, index: path.join(dir, "index") };
  const shell = openGitShell(place);
  const variables = 'echo "$GIT_DIR $GIT_WORK_TREE $GIT_INDEX_FILE $PWD $#"';
  expect((await shell.script(variables, ["a", "b"])).stdout).toBe(
    `${place.gitDir} ${one} ${place.index} ${dir} 2\n`,
  );
  const result = await git(["rev-parse", "--absolute-git-dir"], { cwd: other });
  expect(result.stdout).toBe(`${path.join(other, ".git")}\n`);
  const bare = openGitShell({ cwd: other });
  expect((await bare.script(variables)).stdout).toBe(`   ${other} 0\n`);
  bare.close();
  shell.close();
});

it("fails in a missing folder and works in the next one", async () => {
  expect((await git(["version"], { cwd: path.join(dir, "gone") })).code).not.toBe(0);
  expect((await git(["version"], { cwd: dir })).code).toBe(0);
});

it("starts another shell when an idle one was killed", async () => {
  const pid = await pidOf(dir);
  process.kill(pid, "SIGKILL");
  while (fs.existsSync(`/proc/${pid}`)) await sleep(5);
  expect(await pidOf(dir)).not.toBe(pid);
});

it("runs scripts of two shells at the same time", async () => {
  const fifo = path.join(dir, "fifo");
  const [reader, writer] = [openGitShell({ cwd: dir }), openGitShell({ cwd: dir })];
  await reader.script('mkfifo "$1"', [fifo]);
  const read = reader.script('cat "$1"', [fifo]);
  const written = writer.script('echo "$2" > "$1"', [fifo, "it's $HOME"]);
  expect((await written).code).toBe(0);
  expect((await read).stdout).toBe("it's $HOME\n");
  reader.close();
  writer.close();
});

it("returns the script's output while a background process still prints", async () => {
  const shell = openGitShell({ cwd: dir });
  await shell.script("true");
  const answer = shell.script("(sleep 0.1; echo the remote end hung up unexpectedly >&2) &\necho answer");
  await new Promise(setImmediate);
  // Blocks the event loop, so that the end of the answer and the stray line arrive in one chunk.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  expect(await answer).toEqual({ code: 0, stdout: "answer\n", stderr: "" });
  shell.close();
});
