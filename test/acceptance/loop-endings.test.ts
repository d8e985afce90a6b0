import { describe, expect, it } from "vitest";
import { ranIn, runTask, taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
const ONCE = { type: "fixed", iterations: 1 };
const DONE = script([{ write: { done: "" } }]);
const RED = { agent: script([]), gates: ["false"], strategy: ONCE };

describe("exit codes", () => {
  it("0 when the gates passed", async () => {
    expect(await runTask({ agent: DONE, gates: ["test -e done"] })).toMatchObject({
      code: 0,
      outcome: "converged",
    });
  });

  it("1 when the run diverged", async () => {
    expect(await runTask(RED)).toMatchObject({ code: 1, outcome: "diverged" });
  });

  it("2 for a wrong command line or a wrong task, with nothing started", async () => {
    const box = sandbox();
    expect(await box.converge("run", "--no-such-flag")).toMatchObject({ code: 2 });
    expect(await box.converge("run", "-p", "no agent")).toMatchObject({ code: 2 });
    box.write(taskFile({ ...RED, limits: { iteratons: 3 } }));
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "iterations"?');
    expect((await box.converge("ls", "--json")).stdout).toBe("");
  });

  it("3 when the agent cannot work", async () => {
    const ran = await runTask({ ...RED, agent: script([{ fail: "please log in", kind: "blocked" }]) });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", reason: "please log in" });
  });

  it("4 while a person has to decide", async () => {
    const { box, code } = await runTask({ ...RED, strategy: "manual" });
    expect(code).toBe(4);
    const again = await box.converge("resume", "last");
    expect(again.code).toBe(4);
    expect(again.stderr).toContain("waiting for a person to decide about iteration 1");
  });

  it("5 when a part of the task broke, with all finished work kept", async () => {
    const ran = await runTask(
      { ...RED, agent: DONE, strategy: { type: "custom", module: "broken.mjs" } },
      { "broken.mjs": 'export default { decide() { throw new Error("my own fault"); } };' },
    );
    expect(ran).toMatchObject({ code: 5, outcome: "error" });
    expect(ran.reason).toContain("my own fault");
    expect(ran.box.exists("done")).toBe(true);
  });

  it("6 when a person accepted the run although a gate is red", async () => {
    const { box } = await runTask({ ...RED, strategy: "manual" });
    await box.converge("decide", "last", "accept");
    const ran = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(ran).toMatchObject({ code: 6, outcome: "converged", partial: true });
  });

  it("130 when the run was stopped", async () => {
    const { box } = await runTask({ ...RED, strategy: "manual" });
    await box.converge("stop", "last");
    expect((await box.converge("watch", "last")).code).toBe(130);
  });

  it.each(["fixed", "hybrid", "ralph"])("never 0 for an agent that lies, under %s", async (type) => {
    const lie = { say: "All tests pass.\nDONE\n<promise>DONE</promise>" };
    const ran = await runTask({
      agent: script([lie]),
      gates: ["false"],
      strategy: type,
      limits: { iterations: 2 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
  });

  it("never 0 for a gate that cannot run", async () => {
    const ran = await runTask({
      agent: DONE,
      gates: ["no-such-test-runner"],
      strategy: ONCE,
      allowErroredBaseline: true,
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });
});

describe("an agent that cannot work now", () => {
  it("waits out a rate limit without using up an iteration", async () => {
    const later = { fail: "429 too many requests", kind: "rate-limited", retryAfter: "300ms", once: true };
    const ran = await runTask({
      agent: script([later, { write: { done: "" } }]),
      gates: ["test -e done"],
      limits: { iterations: 1, agentFailures: 1 },
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    const [delayed] = ofType(ran.events, "agent.delayed");
    const [finished] = ofType(ran.events, "agent.finished");
    expect(delayed).toMatchObject({ iteration: 1, reason: "429 too many requests" });
    expect(Date.parse(finished?.time ?? "")).toBeGreaterThanOrEqual(Date.parse(delayed?.until ?? ""));
  });

  it.each([
    ["a missing agent", "no-such-agent --fix", "no-such-agent: command not found"],
    ["an agent that is not executable", "./agent.txt", "is not executable"],
  ])("%s blocks the run before the baseline, with the reason", async (_title, command, reason) => {
    const ran = await runTask({ ...RED, agent: { type: "command", command } }, { "agent.txt": "" });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 0, decisions: [] });
    expect(ran.reason).toContain(reason);
    expect(ofType(ran.events, "gate.judged")).toEqual([]);
  });

  it.each([
    ["an agent that only the shell finds missing", ": && no-such-agent --fix", "command not found"],
    [
      "an agent without permission",
      "echo 'quota is used up' >&2; exit 77",
      "no permission): quota is used up",
    ],
  ])("%s ends the run as blocked at once, with the reason", async (_title, command, reason) => {
    const ran = await runTask({ ...RED, agent: { type: "command", command } });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 1, decisions: [] });
    expect(ran.reason).toContain(reason);
    expect(ofType(ran.events, "gate.judged").map(({ iteration }) => iteration)).toEqual([0]);
  });

  it("a blocked run calls the agent again in the same iteration on resume", async () => {
    const login = { fail: "please log in", kind: "blocked", once: true };
    const { box, code } = await runTask({
      agent: script([login, { write: { done: "" } }]),
      gates: ["test -e done"],
      limits: { iterations: 1 },
    });
    expect(code).toBe(3);
    const ran = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 0 });
  });
});

describe("the end hook", () => {
  const tells =
    'echo "$CONVERGE_OUTCOME $CONVERGE_ITERATIONS $CONVERGE_ELAPSED_MS $CONVERGE_REASON" >> ../ended';

  it.each([
    ["converged", { agent: DONE, gates: ["test -e done"] }],
    ["diverged", RED],
    ["blocked", { ...RED, agent: script([{ fail: "no quota", kind: "blocked" }]) }],
  ])("gets the outcome, iterations and elapsed time of a run that %s, once", async (outcome, task) => {
    const ran = await runTask({ ...task, hooks: { end: tells } });
    const [ended] = ofType(ran.events, "run.ended");
    expect(ended?.outcome).toBe(outcome);
    expect(ended?.elapsedMs).toBeGreaterThan(0);
    expect(ran.box.read("../ended")).toBe(`${outcome} 1 ${ended?.elapsedMs} ${ended?.reason}\n`);
  });

  it("runs for a run that is stopped while it has no driver", async () => {
    const { box } = await runTask({ ...RED, strategy: "manual", hooks: { end: tells } });
    expect(box.exists("../ended")).toBe(false);
    await box.converge("stop", "last", "--reason", "not needed");
    expect(box.read("../ended")).toMatch(/^stopped 1 \d+ not needed\n$/);
  });

  it.each([
    ["fails", "exit 9"],
    ["is not there", "no-such-hook"],
    ["kills itself", "kill -9 $$"],
  ])("never changes the outcome when it %s, and the warning names it", async (_title, end) => {
    const ran = await runTask({ agent: DONE, gates: ["test -e done"], hooks: { end } });
    expect(ran).toMatchObject({ code: 0, outcome: "converged" });
    expect(ran.stderr).toContain(`the hook "${end}" failed`);
  });

  it("does not wait for processes that the hook leaves behind", async () => {
    const ran = await runTask({
      ...RED,
      hooks: { end: "sleep 1000 & sleep 1000 > /dev/null 2>&1 & echo on" },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });
});

describe("the workspace after a run that diverges", () => {
  const numbered = (...scores: number[]) => ({
    agent: script(...scores.map((score) => [{ write: { n: String(score) } }])),
    gates: [{ name: "tests", command: "node count.mjs" }],
    strategy: { type: "fixed", iterations: scores.length },
  });
  /** As many tests pass as the number that the agent wrote. */
  const COUNT = {
    "count.mjs": `import fs from "node:fs";
const n = Number(fs.readFileSync("n", "utf8"));
console.log("TAP version 13\\n1..9");
for (let at = 1; at <= 9; at++) console.log((at <= n ? "ok " : "not ok ") + at + " - test " + at);
process.exit(n === 9 ? 0 : 1);`,
    n: "0",
  };

  it("keeps the last files by default and names the best iteration", async () => {
    const ran = await runTask(numbered(3, 7, 5), COUNT);
    expect([ran.outcome, ran.box.read("n")]).toEqual(["diverged", "5"]);
    expect(ofType(ran.events, "run.ended")[0]?.best).toMatchObject({ iteration: 2 });
  });

  it("onDivergence: restore-best restores the best files and saves the last ones as a tree", async () => {
    const ran = await runTask({ ...numbered(3, 7, 5), onDivergence: "restore-best" }, COUNT);
    expect([ran.outcome, ran.box.read("n")]).toEqual(["diverged", "7"]);
    const [restored] = ofType(ran.events, "workspace.restored");
    expect(restored).toMatchObject({ iteration: 2 });
    await ran.box.converge("restore", "last", "--iteration", restored?.saved ?? "");
    expect(ran.box.read("n")).toBe("5");
  });

  it("onDivergence: restore-best restores nothing when the last files are the best", async () => {
    const ran = await runTask({ ...numbered(3, 5, 7), onDivergence: "restore-best" }, COUNT);
    expect([ran.box.read("n"), ofType(ran.events, "workspace.restored")]).toEqual(["7", []]);
  });
});
