import { describe, expect, it } from "vitest";
import { beside, runIds, stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const COUNT = [
  "-p",
  "count",
  "--agent-cmd",
  'echo "$CONVERGE_ITERATION" > n',
  "--gate",
  'test "$(cat n)" = 2',
];

const started = async (box: Sandbox) => ofType(await stored(box), "run.started")[0];

/** An agent that waits for a file beside the workspace. */
const patient = (box: Sandbox) => {
  const out = beside(box);
  return `touch ${out.place("waiting")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done; touch done`;
};

describe("converge run", () => {
  it("runs a task file", async () => {
    const box = sandbox();
    box.write({
      "fix.yaml": 'prompt: x\nagent: {type: command, command: touch done}\ngates: ["test -e done"]\n',
    });
    const { code, stdout } = await box.converge("run", "fix.yaml");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^solved in iteration 1: all gates pass/m);
  });

  it("runs from flags alone", async () => {
    const box = sandbox();
    expect((await box.converge("run", ...COUNT)).code).toBe(0);
    expect(box.read("n")).toBe("2\n");
  });

  it("reads converge.yaml by default", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": "prompt: x\nagent: {type: command, command: touch done}\ngates: [test -e done]\n",
    });
    expect((await box.converge("run")).code).toBe(0);
  });

  it("works in the task file's folder, whatever the current directory", async () => {
    const box = sandbox();
    box.write({
      "sub/task.yaml": "prompt: x\nagent: {type: command, command: touch done}\ngates: [test -e done]\n",
    });
    expect((await box.converge("run", "sub/task.yaml")).code).toBe(0);
    expect(box.exists("sub/done")).toBe(true);
  });

  it("accepts every limit and option as a flag", async () => {
    const box = sandbox();
    box.write({ x: "" });
    box.commitAll();
    const flags = ["--strategy", "fixed", "--max-iterations", "4", "--max-time", "2h", "--max-cost", "1.5"];
    const more = ["--iteration-timeout", "20m", "--workspace", "worktree", "--gate", "true"];
    expect((await box.converge("run", ...COUNT, ...flags, ...more)).code).toBe(0);
    expect((await started(box))?.task).toMatchObject({
      prompt: "count",
      agents: [{ type: "command" }],
      strategy: { type: "fixed" },
      gates: [{ name: 'test "$(cat n)" = 2' }, { name: "true" }],
      limits: { iterations: 4, timeMs: 7_200_000, cost: 1.5, iterationMs: 1_200_000 },
      workspace: { type: "worktree", dir: box.dir },
    });
    expect(box.exists("n")).toBe(false);
  });

  it("--json prints one event per line and nothing else", async () => {
    const box = sandbox();
    const { code, stdout, events } = await box.converge("run", ...COUNT, "--json");
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines.pop()).toBe("");
    expect(events()).toHaveLength(lines.length);
    expect(events().map((event) => event.seq)).toEqual(lines.map((_, index) => index + 1));
    expect(events()).toEqual(await stored(box));
    expect(events()[0]).toMatchObject({ v: 1, type: "run.started", time: expect.stringMatching(/Z$/) });
  });

  it("without gates warns that nothing is verified", async () => {
    const box = sandbox();
    const args = ["run", "-p", "x", "--agent-cmd", "echo DONE", "--strategy", "ralph", "--json"];
    const { stderr, events } = await box.converge(...args);
    expect(stderr).toContain("no gates");
    expect(events().at(-1)).toMatchObject({ type: "run.ended", outcome: "converged" });
  });

  it("refuses a state folder inside the workspace", async () => {
    const box = sandbox();
    const { answer } = box.start(["run", ...COUNT], { CONVERGE_HOME: `${box.dir}/state` });
    const { code, stderr } = await answer;
    expect(code).toBe(2);
    expect(stderr).toContain("set CONVERGE_HOME to a folder outside");
  });

  it("--detach continues in the background, where watch can follow it", async () => {
    const box = sandbox();
    const args = ["run", "-p", "x", "--agent-cmd", patient(box), "--gate", "test -e done", "--detach"];
    const { code, stdout } = await box.converge(...args);
    expect(code).toBe(0);
    const [id] = await runIds(box);
    expect(stdout).toContain(`converge watch ${id}`);
    await waitFor(() => beside(box).exists("waiting"));
    const watching = box.start(["watch", id ?? "", "--json"]);
    await watching.until(/iteration.started/);
    beside(box).touch("go");
    const watched = await watching.answer;
    expect(watched.code).toBe(0);
    expect(watched.events()).toEqual(await stored(box));
    expect(watched.events().at(-1)).toMatchObject({ type: "run.ended", outcome: "converged" });
  });

  it("a stop right after --detach keeps the run stopped and leaves no process", async () => {
    const box = sandbox();
    const agent = `echo $$ > ${beside(box).place("pid")}; sleep 600`;
    const args = ["run", "-p", "x", "--agent-cmd", agent, "--gate", "false", "--detach", "--json"];
    const { stdout } = await box.converge(...args);
    const { run } = JSON.parse(stdout);
    expect((await box.converge("stop", run)).code).toBe(0);
    const end = await waitFor(async () => ofType(await stored(box), "run.ended")[0]);
    expect(end.outcome).toBe("stopped");
    expect((await box.converge("watch", run)).code).toBe(130);
    const pid = Number(beside(box).read("pid"));
    if (pid) expect(isAlive(pid)).toBe(false);
    expect((await stored(box)).at(-1)).toEqual(end);
  });
});

describe("converge resume", () => {
  const ended = async (box: Sandbox) => (await stored(box)).at(-1);

  it("continues after a limit when given a higher one", async () => {
    const box = sandbox();
    expect((await box.converge("run", ...COUNT, "--max-iterations", "1")).code).toBe(1);
    expect(await ended(box)).toMatchObject({
      outcome: "diverged",
      reason: expect.stringContaining("used"),
    });
    const again = await box.converge("resume", "last");
    expect(again.code).toBe(1);
    const { code, events } = await box.converge("resume", "--max-iterations", "5", "--json");
    expect(code).toBe(0);
    expect(ofType(events(), "run.resumed")).toMatchObject([{ limits: { iterations: 5 } }]);
    expect(ofType(events(), "run.resumed")[0]?.limits).toEqual({ iterations: 5 });
    expect(ofType(await stored(box), "iteration.started").map((event) => event.iteration)).toEqual([1, 2]);
  });

  it("continues after a stop", async () => {
    const box = sandbox();
    const run = box.start(["run", "-p", "x", "--agent-cmd", patient(box), "--gate", "test -e done"]);
    await waitFor(() => beside(box).exists("waiting"));
    await box.converge("stop", "last", "--reason", "lunch");
    expect((await run.answer).code).toBe(130);
    expect(await ended(box)).toMatchObject({ outcome: "stopped", reason: "lunch" });
    beside(box).touch("go");
    expect((await box.converge("resume")).code).toBe(0);
  });

  it("continues a blocked run once the reason is gone", async () => {
    const box = sandbox();
    const agent = "test -e ../login || { echo log in first >&2; exit 77; }; touch done";
    const args = ["run", "-p", "x", "--agent-cmd", agent, "--gate", "test -e done"];
    const blocked = await box.converge(...args);
    expect(blocked.code).toBe(3);
    expect(blocked.stdout).toContain("log in first");
    beside(box).touch("login");
    const { code, events } = await box.converge("resume", "--json");
    expect(code).toBe(0);
    expect(events().at(-1)).toMatchObject({ type: "run.ended", iterations: 1 });
  });

  it("continues after a pause", async () => {
    const box = sandbox();
    const run = box.start(["run", "-p", "x", "--agent-cmd", patient(box), "--gate", "test -e done"]);
    await waitFor(() => beside(box).exists("waiting"));
    expect((await box.converge("pause", "last")).code).toBe(0);
    beside(box).touch("go");
    expect((await run.answer).code).toBe(4);
    expect((await stored(box)).at(-1)?.type).toBe("run.paused");
    const { code, events } = await box.converge("resume", "--json");
    expect(code).toBe(0);
    expect(ofType(events(), "agent.finished")).toEqual([]);
  });

  it("refuses a converged run and a running one", async () => {
    const box = sandbox();
    await box.converge("run", ...COUNT);
    const over = await box.converge("resume");
    expect(over).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing to resume") });
    const run = box.start(["run", "-p", "x", "--agent-cmd", patient(box), "--gate", "test -e done"]);
    await waitFor(() => beside(box).exists("waiting"));
    const live = await box.converge("resume");
    expect(live).toMatchObject({ code: 2, stderr: expect.stringContaining("is in use by run") });
    beside(box).touch("go");
    expect((await run.answer).code).toBe(0);
  });

  it("prints what to type for a waiting run without an answer, and exits 4", async () => {
    const box = sandbox();
    const args = ["run", "-p", "x", "--agent-cmd", "true", "--gate", "false", "--strategy", "manual"];
    expect((await box.converge(...args)).code).toBe(4);
    const { code, stderr } = await box.converge("resume");
    expect(code).toBe(4);
    expect(stderr).toMatch(/converge decide \w+ continue/);
  });

  it("refuses an invalid limit", async () => {
    const box = sandbox();
    await box.converge("run", ...COUNT, "--max-iterations", "1");
    const { code, stderr } = await box.converge("resume", "--max-iterations", "none");
    expect(code).toBe(2);
    expect(stderr).toContain("limits: iterations: expected");
    expect((await stored(box)).at(-1)?.type).toBe("run.ended");
  });
});

describe("converge validate", () => {
  it("describes what a valid task would do and starts nothing", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": "prompt: x\nagent: {type: command, command: touch done}\ngates: [test -e done]\n",
    });
    const { code, stdout } = await box.converge("validate");
    expect(code).toBe(0);
    expect(stdout).toContain("converge.yaml is valid");
    expect(box.exists("done")).toBe(false);
    expect(await runIds(box)).toEqual([]);
  });

  it("names the mistakes and exits 2", async () => {
    const box = sandbox();
    box.write({ "bad.yaml": "prompt: x\nagnet: y\n" });
    const { code, stderr } = await box.converge("validate", "bad.yaml");
    expect(code).toBe(2);
    expect(stderr).toContain('bad.yaml:2:1: unknown key "agnet"; did you mean "agent"?');
    const missing = await box.converge("validate");
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("converge.yaml: no such file"),
    });
  });
});
