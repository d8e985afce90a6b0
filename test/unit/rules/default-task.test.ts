import { expect, it } from "vitest";
import { builtIns } from "#catalog/built-ins";
import { readTask } from "#config/read-task";
import { defaultTask } from "#rules/default-task";
import { temporary } from "../../support/folders.ts";

it("completes a task like reading one without options", async () => {
  const dir = temporary();
  const flags = { prompt: "x", agent: { type: "command", command: "true" }, gates: ["true"], protect: false };
  const { task } = await readTask({ cwd: dir, flags }, builtIns());
  const { prompt, agents, gates } = task;
  expect(task).toEqual(defaultTask({ prompt, agents, gates, workspace: { dir } }));
});

it("lets every field override its default", () => {
  const task = defaultTask({
    prompt: "x",
    agents: [],
    workspace: { type: "worktree", dir: "/project" },
    rotate: true,
  });
  expect(task).toMatchObject({ rotate: true, workspace: { type: "worktree", dir: "/project" } });
});

it("gives every task objects of its own", () => {
  const fields = { prompt: "x", agents: [], workspace: { dir: "/" } };
  const changed = defaultTask(fields) as { limits: { iterations: number } };
  changed.limits.iterations = 1;
  expect(defaultTask(fields).limits.iterations).not.toBe(1);
});
