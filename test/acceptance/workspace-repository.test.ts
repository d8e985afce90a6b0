import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { gitIn, repository } from "../support/repository.ts";
import { taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

it("a task that names a repository works on it from any folder, and leaves nothing when it cannot be had", async () => {
  const box = sandbox();
  const origin = path.join(path.dirname(box.dir), "origin");
  repository(origin, { "check.sh": 'test "$(cat a.txt)" = done\n', "a.txt": "start\n" });
  const task = {
    agent: { type: "command", command: "echo done > a.txt; echo exit 0 > check.sh" },
    gates: ["sh check.sh"],
    workspace: { git: origin, ref: "main" },
    deliver: "branch",
  };
  box.write(taskFile(task));
  const { code, stderr, events } = await box.converge("run", "--json");
  expect([code, stderr]).toEqual([0, ""]);
  const [started] = ofType(events(), "run.started");
  const dir = started?.dir ?? "";
  expect(path.relative(fs.realpathSync(box.home), dir)).toMatch(/^worktrees\/\w+$/);
  expect(started).toMatchObject({
    head: gitIn(origin)("rev-parse", "HEAD").trim(),
    task: { workspace: { dir } },
  });
  // The gates judge by what is in the repository, so that is where it was looked for.
  expect(started?.task.protect?.paths.map((one) => one.path)).toContain("check.sh");
  const [delivered] = ofType(events(), "run.delivered");
  const branch = delivered?.delivered.branch ?? "";
  expect(gitIn(dir)("diff", "--stat", "main", branch)).toMatch(/a\.txt/);
  expect(gitIn(dir)("show", `${branch}:check.sh`)).toContain("cat a.txt");

  const listed = JSON.parse((await box.converge("ls", "--json")).stdout);
  expect(listed).toMatchObject({ workspace: `file://${origin}`, dir });
  expect((await box.converge("show", "last")).stdout).toContain(`git fetch ${origin} ${branch}`);
  // The clone may be thrown away, so the branch is where it was cloned from.
  expect(gitIn(origin)("show", `${branch}:a.txt`)).toBe("done\n");
  // From another clone, as after the death of whoever had pushed it and could not say so: nothing is doubled.
  fs.rmSync(dir, { recursive: true });
  const again = await box.converge("deliver", "last");
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(branch)]);
  expect(gitIn(origin)("branch", "--list", "converge*").trim().split("\n")).toHaveLength(1);

  const before = fs.readdirSync(path.dirname(dir));
  box.write(taskFile({ ...task, workspace: { git: origin, ref: "nonsense" } }));
  const refused = await box.converge("run");
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('no branch, tag or commit "nonsense"'),
  ]);
  expect(fs.readdirSync(path.dirname(dir))).toEqual(before);
});
