import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { beside, stored } from "../support/observe.ts";
import { gitIn, repository } from "../support/repository.ts";
import { taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

it("clones a task's repository from any folder, and leaves nothing when the ref does not exist", async () => {
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
  // Protected files are searched for in the repository, because the gates judge by them.
  expect(started?.task.protect?.paths.map((one) => one.path)).toContain("check.sh");
  const [delivered] = ofType(events(), "run.delivered");
  const branch = delivered?.delivered.branch ?? "";
  expect(gitIn(dir)("diff", "--stat", "main", branch)).toMatch(/a\.txt/);
  expect(gitIn(dir)("show", `${branch}:check.sh`)).toContain("cat a.txt");

  const listed = JSON.parse((await box.converge("ls", "--json")).stdout);
  expect(listed).toMatchObject({ workspace: `file://${origin}`, dir });
  expect((await box.converge("show", "last")).stdout).toContain(`git fetch ${origin} ${branch}`);
  // The clone is disposable, so the branch is pushed to the origin.
  expect(gitIn(origin)("show", `${branch}:a.txt`)).toBe("done\n");
  // Delivers again from a new clone, as after a crash between the push and its event: no duplicate branch.
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

const TASK = {
  agent: { type: "command", command: "echo done > a.txt" },
  gates: ["grep -q done a.txt"],
};

/** A repository that runs `script` on the first push before it accepts anything, and a task that works on it. */
function pushedTo(script: (out: ReturnType<typeof beside>) => string) {
  const box = sandbox();
  const root = path.dirname(box.dir);
  const [origin, first] = [path.join(root, "origin"), beside(box).place("first")];
  const git = repository(origin, { "a.txt": "start\n" });
  const hook = `#!/bin/sh\nif mkdir '${first}' 2>/dev/null; then\n${script(beside(box))}\nfi\n`;
  fs.writeFileSync(path.join(origin, ".git/hooks/pre-receive"), hook, { mode: 0o755 });
  box.write(
    taskFile({
      ...TASK,
      workspace: { git: origin, ref: "main" },
      deliver: { type: "branch", branch: "work" },
    }),
  );
  return { box, root, origin, git };
}

it("does not record an interrupted delivery, and delivers on resume", async () => {
  const { box, git } = pushedTo(({ place }) => `touch ${place("pushing")}; sleep 600`);
  const run = box.start(["run", "--json"]);
  await waitFor(() => fs.existsSync(beside(box).place("pushing")));
  run.child.kill("SIGHUP");
  expect((await run.answer).code).toBe(129);
  const record = await stored(box);
  expect(record.at(-1)?.type).toBe("decision.made");
  const file = path.join(ofType(record, "run.started")[0]?.dir ?? "", "a.txt");
  fs.writeFileSync(file, "judged by nobody\n");
  const resumed = await box.converge("resume", "--json");
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
  const [delivered, ...more] = ofType(await stored(box), "run.delivered");
  expect([delivered?.delivered.problem, more]).toEqual([undefined, []]);
  expect([git("show", "work:a.txt"), fs.readFileSync(file, "utf8")]).toEqual(["done\n", "done\n"]);
});

it("Ctrl-C during a delivery stops the run, and resume delivers", async () => {
  const { box, git } = pushedTo(({ place }) => `touch ${place("pushing")}; sleep 600`);
  const run = box.start(["run", "--json"]);
  await waitFor(() => fs.existsSync(beside(box).place("pushing")));
  run.child.kill("SIGINT");
  const { code, events } = await run.answer;
  expect(code).toBe(130);
  expect(ofType(events(), "run.ended")).toMatchObject([{ outcome: "stopped" }]);
  expect(ofType(events(), "run.delivered")).toEqual([]);
  const resumed = await box.converge("resume", "--json");
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
  expect(ofType(await stored(box), "iteration.started")).toHaveLength(1);
  expect(git("show", "work:a.txt")).toBe("done\n");
});

it("Ctrl-C in converge deliver prints the command to finish, which delivers", async () => {
  const { box, git } = pushedTo(({ place }) => `touch ${place("pushing")}; sleep 600`);
  box.write(taskFile({ ...TASK, workspace: { git: git("rev-parse", "--show-toplevel").trim() } }));
  expect((await box.converge("run")).code).toBe(0);
  const delivering = box.start(["deliver", "last", "--as", "branch", "--branch", "work"]);
  await waitFor(() => fs.existsSync(beside(box).place("pushing")));
  delivering.child.kill("SIGINT");
  const { code, stdout, stderr } = await delivering.answer;
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr).toMatch(
    /^converge: the delivery of run \w+ was interrupted .*; finish it with: converge deliver \w+\n$/,
  );
  expect(ofType(await stored(box), "run.delivered")).toEqual([]);
  expect((await box.converge("deliver", "last", "--as", "branch", "--branch", "work")).code).toBe(0);
  expect(git("show", "work:a.txt")).toBe("done\n");
});

it("treats a concurrent push by an earlier attempt as the delivery", async () => {
  const meanwhile = "env -u GIT_QUARANTINE_PATH -u GIT_OBJECT_DIRECTORY -u GIT_DIR git -C ../../other";
  const { box, root, origin, git } = pushedTo(() => `${meanwhile} push --quiet origin HEAD:work`);
  const other = path.join(root, "other");
  git("clone", "--quiet", origin, other);
  fs.writeFileSync(path.join(other, "a.txt"), "done\n");
  gitIn(other)("commit", "--quiet", "--all", "--message", "of the earlier attempt");
  const { code, stderr, events } = await box.converge("run", "--json");
  expect([code, stderr]).toEqual([0, ""]);
  const commit = git("rev-parse", "work").trim();
  expect(ofType(events(), "run.delivered")).toMatchObject([{ delivered: { branch: "work", commit } }]);
  expect(git("log", "-1", "--format=%s", "work").trim()).toBe("of the earlier attempt");
});
