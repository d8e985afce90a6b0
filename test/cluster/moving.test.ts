import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { cluster, taskOf } from "../support/cluster.ts";
import { gitIn, repository } from "../support/repository.ts";
import { ofType } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const counting = (go: string) =>
  `echo "working on $CONVERGE_ITERATION"; echo "line $CONVERGE_ITERATION" >> a.txt; ` +
  `[ "$CONVERGE_ITERATION" = 1 ] || while ! [ -e ${go} ]; do sleep 0.05; done`;

it("a run moves to another machine with its files, and its work is delivered once to the origin", async () => {
  const fleet = await cluster();
  const origin = path.join(fleet.root, "origin");
  repository(origin, { "a.txt": "start\n" });
  const go = path.join(fleet.root, "go");
  const first = await fleet.worker();
  const run = await fleet.submit(
    taskOf(counting(go), 2, { workspace: { git: origin, ref: "main" }, deliver: "branch" }),
  );
  await waitFor(async () => ofType(await fleet.events(run), "iteration.started").length === 2);
  // Logs are sent about once a second.
  await waitFor(async () => {
    const logs = (await fleet.app.store.logs?.list(run)) ?? [];
    return logs.some(({ file }) => file.startsWith("1/agent/"));
  });
  // A concurrent push: the run keeps the commit that it started from.
  fs.writeFileSync(path.join(origin, "b.txt"), "later\n");
  gitIn(origin)("add", "b.txt");
  gitIn(origin)("commit", "--quiet", "--message", "later");
  first.kill("SIGKILL");
  await first.ended;
  fs.rmSync(path.join(fleet.root, "homes", first.name), { recursive: true, force: true });
  fs.writeFileSync(go, "");
  await fleet.worker();
  expect(await fleet.outcomes([run])).toEqual(["converged"]);
  const branches = gitIn(origin)("branch", "--list", "converge*").trim().split("\n");
  expect(branches.map((name) => name.trim())).toEqual([`converge/${run}`]);
  expect(gitIn(origin)("show", `converge/${run}:a.txt`)).toBe("start\nline 1\nline 2\n");
  expect(gitIn(origin)("ls-tree", "--name-only", `converge/${run}`).trim()).toBe("a.txt");
  const [delivered] = ofType(await fleet.events(run), "run.delivered");
  expect(delivered?.delivered.problem).toBeUndefined();
  // A third machine shows both machines' logs and the whole diff.
  const { stdout: logs } = await fleet.converge("logs", run);
  expect(logs).toMatch(/working on 1[\s\S]*working on 2/);
  expect((await fleet.converge("diff", run)).stdout).toContain("+line 2");
});

it("a bundled folder arrives unchanged and is deleted after the run", async () => {
  const fleet = await cluster();
  const { name } = await fleet.worker();
  fs.writeFileSync(path.join(fleet.folder, "uncommitted.txt"), "mine\n");
  const run = await fleet.submit(taskOf("cat uncommitted.txt README.md; echo done >> README.md"));
  expect(await fleet.outcomes([run])).toEqual(["converged"]);
  expect((await fleet.converge("logs", run)).stdout).toMatch(/mine\nSomething to work on\./);
  expect((await fleet.converge("diff", run)).stdout).toContain("+done");
  expect(fs.readFileSync(path.join(fleet.folder, "README.md"), "utf8")).not.toContain("done");
  const workers = path.join(fleet.root, "homes", name, "workers");
  await waitFor(() =>
    fs.readdirSync(workers).every((one) => fs.readdirSync(path.join(workers, one)).length === 0),
  );
});

it.each([
  ["a branch delivery from a folder", { deliver: "branch" }, /cannot be made by a worker for a folder/],
  [
    "a commit delivery in a temporary clone",
    { deliver: "commit", workspace: { git: "file:///nowhere" } },
    /would be made in a clone that does not stay/,
  ],
  [
    "a notification to a literal URL",
    { notify: [{ webhook: "http://127.0.0.1:1/x" }] },
    /write urlEnv: NAME/,
  ],
  [
    "a custom module on this machine",
    { strategy: { type: "custom", module: "./mine.mjs" } },
    /module of your own/,
  ],
])("%s is refused before anything is queued", async (_, rest, message) => {
  const fleet = await cluster();
  fs.writeFileSync(
    path.join(fleet.folder, "mine.mjs"),
    "export default () => ({ continue: false, reason: '', confidence: 1 });\n",
  );
  await expect(fleet.submit(taskOf("true", 1, rest))).rejects.toThrow(message);
  expect(await fleet.app.store.runs()).toEqual([]);
});
