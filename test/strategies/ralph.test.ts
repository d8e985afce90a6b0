import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { converge } from "../../src/index.ts";
import { runTask } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

/** Each iteration writes its number to `n` and says its message; later iterations repeat the last one. */
const saying = (...messages: string[]) => ({
  type: "scripted",
  iterations: messages.map((say) => [{ run: 'echo "$CONVERGE_ITERATION" > n' }, { say }]),
});
const RED = { name: "red", command: "false" };
const until = (number: number) => ({ name: "number", command: `test "$(cat n)" = ${number}` });
const ralph = (options: object = {}) => ({ type: "ralph", maxIterations: 3, ...options });

/** Runs an agent that says one message, through the SDK. */
function runSaying(message: string) {
  const { dir, home } = sandbox();
  const task = { prompt: "Do it.", agent: saying(message), strategy: ralph({ maxIterations: 1 }) };
  return converge(task, { cwd: dir, home });
}

describe("ralph: the signal", () => {
  it("converges on a signal with green gates", async () => {
    const ran = await runTask({ agent: saying("On it.", "DONE"), gates: [until(2)], strategy: ralph() });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2, partial: false });
  });

  it("converges on the signal alone without gates", async () => {
    const ran = await runTask({ agent: saying("On it.", "All works.\n\nTASK_COMPLETE"), strategy: ralph() });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(ran.reason).toBe('the agent said "TASK_COMPLETE" and no gate is configured');
  });

  it("runs to the maximum without gates and signal", async () => {
    const ran = await runTask({ agent: saying("One.", "Two now.", "Three then."), strategy: ralph() });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 3 });
  });

  it("treats a signal with red gates as a false claim: feeds it back, counts it and continues", async () => {
    const ran = await runTask({
      agent: saying("Easy.\n\nDONE", "Now really.\n\nDONE", "It works."),
      gates: [until(3)],
      strategy: ralph(),
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 3 });
    expect(ran.decisions.map((decision) => decision.metadata?.falseClaims)).toEqual([1, 2, undefined]);
    for (const prompt of ran.prompts.slice(1))
      expect(prompt).toContain('You said "DONE", but these gates do not pass: number (failed).');
    expect(ran.prompts[0]).not.toContain("You said");
  });

  it("trustSignal accepts it with red gates, as partial and never with exit 0", async () => {
    const ran = await runTask({
      agent: saying("DONE"),
      gates: [RED],
      strategy: ralph({ trustSignal: true }),
    });
    expect(ran).toMatchObject({ code: 6, outcome: "converged", partial: true, iterations: 1 });
    expect(ran.reason).toContain("trusted against the gates");
  });

  it("ignores the signal of an agent that failed", async () => {
    const iterations = [[{ say: "DONE" }, { fail: "out of memory" }], [{ say: "DONE" }]];
    const ran = await runTask({ agent: { type: "scripted", iterations }, strategy: ralph() });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
  });

  it.each(["TASK_COMPLETE", "TASK_COMPLETED", "DONE", "[COMPLETE]", "[TASK COMPLETE]", "[DONE]"])(
    "%s is a signal",
    async (signal) => {
      const { outcome, reason } = await runSaying(`Everything is there.\n${signal}`);
      expect(outcome).toBe("converged");
      expect(reason).toContain(`"${signal}"`);
    },
  );

  it("uses configured signals instead of the defaults", async () => {
    const strategy = ralph({ signals: ["SHIP IT"] });
    const ran = await runTask({ agent: saying("DONE", "SHIP IT"), strategy });
    expect(ran).toMatchObject({ outcome: "converged", iterations: 2 });
  });

  it.each([
    ["inside another word", "I abandoned it. Nothing was undone, nothing is abandoned."],
    ["in a sentence that negates it", "This is not DONE yet."],
    ["negated over two lines", "The work is not yet\nDONE"],
    ["quoted with >", "The rules say:\n> DONE"],
    ["in a code block", "I will print this at the end:\n```\nDONE\n```"],
    ["in a sentence about it", "I will say TASK_COMPLETE when all is well."],
    ["in small letters", "done"],
  ])("ignores a signal %s", async (_, message) => {
    expect(await runSaying(message)).toMatchObject({ outcome: "diverged", iterations: 1 });
  });

  it("ignores a signal that the agent quotes from its prompt", async () => {
    const ran = await runTask({
      prompt: "When you are finished, print this line:\nTASK_COMPLETE",
      agent: { type: "command", command: 'cat "$CONVERGE_PROMPT_FILE"' },
      strategy: ralph({ maxIterations: 1 }),
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });

  it("reads only the agent's own message, not its tool results or stderr", async () => {
    const ran = await runTask({
      agent: { type: "command", command: "echo DONE >&2; echo still at it" },
      strategy: ralph({ maxIterations: 1 }),
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });
});

describe("ralph: the promise", () => {
  it("converges on the task's promise in its tag, which the prompt asks for", async () => {
    const ran = await runTask({
      promise: "ALL GREEN",
      agent: saying("<promise>SOMETHING ELSE</promise>", "Fine now.\n<promise>all  green</promise>"),
      strategy: ralph(),
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(ran.prompts[0]).toContain("end your answer with <promise>ALL GREEN</promise>");
  });

  it("prefers the strategy's own promise to the task's", async () => {
    const ran = await runTask({
      promise: "ALL GREEN",
      agent: saying("<promise>ALL GREEN</promise>", "<promise>SHIPPED</promise>"),
      strategy: ralph({ promise: "SHIPPED" }),
    });
    expect(ran).toMatchObject({ outcome: "converged", iterations: 2 });
  });

  it("accepts any promise tag when the task has no promise", async () => {
    const ran = await runTask({ agent: saying("<promise>it works</promise>"), strategy: ralph() });
    expect(ran).toMatchObject({ outcome: "converged", iterations: 1 });
  });

  it("treats a promise with red gates as a false claim", async () => {
    const ran = await runTask({
      promise: "ALL GREEN",
      agent: saying("<promise>ALL GREEN</promise>"),
      gates: [RED],
      strategy: ralph({ maxIterations: 2 }),
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    expect(ran.decisions.at(-1)?.metadata).toEqual({ falseClaims: 2 });
  });
});

describe("ralph: limits", () => {
  it("ignores a signal before minIterations", async () => {
    const ran = await runTask({ agent: saying("DONE"), strategy: ralph({ minIterations: 3 }) });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 3 });
    expect(ran.decisions[0]?.reason).toBe("on to iteration 2 of 3, at least 3 are required (minIterations)");
  });

  it("ends at maxIterations", async () => {
    const ran = await runTask({
      agent: saying("Some words.", "Other things now.", "A third try."),
      gates: [RED],
      strategy: ralph({ maxIterations: 2 }),
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    expect(ran.reason).toContain("all 2 iterations are used");
  });

  it("stops on repeated output, with a configurable window and threshold", async () => {
    const agent = saying("I looked at the parser and found nothing wrong.");
    const usual = await runTask({ agent, gates: [RED], strategy: ralph({ maxIterations: 9 }) });
    expect(usual).toMatchObject({ code: 1, outcome: "diverged", iterations: 4 });
    expect(usual.prompts[3]).toContain("up to iteration 3 the agent said the same 3 times");
    expect(usual.reason).toBe(
      "stuck: up to iteration 4 the agent said the same 3 times, even after the agent was told to change its approach",
    );
    const wider = ralph({ maxIterations: 9, windowSize: 5 });
    expect((await runTask({ agent, gates: [RED], strategy: wider })).iterations).toBe(6);
  });

  it("convergenceThreshold sets how similar outputs must be", async () => {
    const near = saying("a b c d e f g h i 1", "a b c d e f g h i 2", "a b c d e f g h i 3");
    const strict = { maxIterations: 4, windowSize: 2 };
    // Nine of eleven words are shared: more than 5 % apart, less than 20 %.
    const apart = await runTask({ agent: near, gates: [RED], strategy: ralph(strict) });
    expect(apart).toMatchObject({ iterations: 4, reason: "all 4 iterations are used" });
    expect(apart.prompts[2]).not.toContain("said the same");
    const lax = ralph({ ...strict, convergenceThreshold: 0.2 });
    const alike = await runTask({ agent: near, gates: [RED], strategy: lax });
    expect(alike.prompts[2]).toContain("the agent said the same 2 times");
  });

  it("does not stop on repeated output before minIterations, or on empty output", async () => {
    const same = ralph({ minIterations: 4, maxIterations: 4 });
    expect((await runTask({ agent: saying("Same."), gates: [RED], strategy: same })).iterations).toBe(4);
    const silent = { type: "command", command: "echo more >> n" };
    const ran = await runTask({ agent: silent, gates: [RED], strategy: ralph({ maxIterations: 4 }) });
    expect(ran).toMatchObject({ iterations: 4, reason: "all 4 iterations are used" });
  });
});

describe("ralph: stateDir", () => {
  it("mirrors loop-state.json and metrics.json into the workspace, outside the snapshots", async () => {
    const { box, events, ...ran } = await runTask({
      agent: saying("One.", "Two then.\n\nDONE"),
      strategy: ralph({ stateDir: ".loop" }),
    });
    const read = (name: string) =>
      JSON.parse(fs.readFileSync(path.join(box.dir, ".loop", name), "utf8")) as Record<string, unknown>;
    expect(read("loop-state.json")).toMatchObject({
      run: events[0]?.run,
      state: "ended",
      outcome: "converged",
      reason: ran.reason,
      iteration: 2,
      lastDecision: ran.decisions.at(-1),
    });
    expect(read("metrics.json")).toMatchObject({ run: events[0]?.run, iterations: [{ iteration: 1 }, {}] });
    const paths = ofType(events, "snapshot.taken").map(({ snapshot }) =>
      snapshot.changes.map(({ path }) => path),
    );
    expect(paths).toEqual([[], ["n"], ["n"]]);
  });

  it("writes the mirror while the run works", async () => {
    const look = "cp .loop/loop-state.json seen.json";
    const agent = { type: "scripted", iterations: [[{ run: look }], [{ say: "DONE" }]] };
    const { box } = await runTask({ agent, strategy: ralph({ stateDir: ".loop" }) });
    expect(JSON.parse(box.read("seen.json"))).toMatchObject({
      state: "running",
      outcome: null,
      iteration: 1,
    });
  });
});
