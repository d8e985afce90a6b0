import { describe, expect, it } from "vitest";
import type { VerdictStatus } from "#spec/verdict";
import { type Ran, ranIn, runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
/** Each iteration writes its number to the file `n`. */
const COUNTING = { type: "command", command: 'echo "$CONVERGE_ITERATION" > n' };
const MANY = { type: "fixed", iterations: 50 };
const RED = { name: "red", command: "echo broken; false" };
const GREEN = { name: "green", command: "true" };

/** The gates' statuses in one iteration, without gates that were not judged. */
function standing({ events }: Ran, iteration: number): Record<string, VerdictStatus> {
  const judged = ofType(events, "gate.judged").filter((event) => event.iteration === iteration);
  return Object.fromEntries(judged.map(({ gate, verdict }) => [gate, verdict.status]));
}

describe("onFailure and policies of a failing gate", () => {
  it("iterate feeds the failure back and continues the run", async () => {
    const gates = [{ name: "tests", command: 'cat n; test "$(cat n)" = 2', onFailure: "iterate" }];
    const ran = await runTask({ agent: COUNTING, gates }, { n: "0\n" });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(ran.prompts[1]).toMatch(/Gate "tests" failed: exit code 1\n\| .*\n\| 1/);
  });

  it("stop ends the run as diverged at once: no later gate, no decision", async () => {
    const gates = [{ ...RED, onFailure: "stop" }, GREEN];
    const ran = await runTask({ agent: COUNTING, gates, strategy: MANY });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 1, decisions: [] });
    expect(ran.reason).toBe("gate red failed, and its policy is to stop");
    expect(standing(ran, 1)).toEqual({ red: "failed" });
  });

  it("stop also ends a run whose gate is errored", async () => {
    const ran = await runTask({
      agent: COUNTING,
      gates: [{ name: "tests", command: "no-such-program", onFailure: "stop" }],
      allowErroredBaseline: true,
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 1 });
    expect(ran.reason).toBe("gate tests errored, and its policy is to stop");
  });

  it("escalate notifies on each failure and continues the run", async () => {
    const ran = await runTask({
      agent: COUNTING,
      gates: [{ name: "tests", command: 'test "$(cat n)" = 3', onFailure: "escalate" }],
      hooks: {
        escalate: 'echo "$CONVERGE_GATE in iteration $CONVERGE_ITERATION: $CONVERGE_REASON" >> ../escalated',
      },
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 3 });
    expect(ofType(ran.events, "gate.escalated").map((event) => event.iteration)).toEqual([1, 2]);
    expect(ran.box.read("../escalated")).toBe(
      "tests in iteration 1: exit code 1\ntests in iteration 2: exit code 1\n",
    );
  });

  it("maxAttempts ends the run after that many failures in a row", async () => {
    const flaky = { name: "flaky", command: 'test "$(cat n)" = 2', onFailure: { maxAttempts: 2 } };
    const ran = await runTask({ agent: COUNTING, gates: [flaky, RED], strategy: MANY });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 4 });
    expect(ran.reason).toBe("gate flaky failed 2 times in a row, which is its maximum");
  });

  it("backoff waits longer after each failure before the gate judges again", async () => {
    const ran = await runTask({
      agent: script([]),
      gates: [{ ...RED, onFailure: { backoff: { delay: "200ms", factor: 2, max: "300ms" } } }],
      strategy: { type: "fixed", iterations: 3 },
    });
    const at = (type: "snapshot.taken" | "gate.judged") =>
      ofType(ran.events, type).map((event) => event.elapsedMs);
    const waits = at("gate.judged").map((judged, index) => judged - (at("snapshot.taken")[index] ?? 0));
    expect(waits[2]).toBeGreaterThanOrEqual(199);
    expect(waits[3]).toBeGreaterThanOrEqual(299);
  });

  it("feedback: none hides the failure from the agent in every later prompt", async () => {
    const ran = await runTask({
      agent: script([]),
      gates: [
        { name: "hidden", command: "echo held-out-secret; false", onFailure: { feedback: "none" } },
        { name: "open", command: "echo all-may-see; false" },
      ],
      strategy: { type: "fixed", iterations: 3 },
    });
    expect(ran.prompts).toHaveLength(3);
    for (const prompt of ran.prompts) {
      expect(prompt).toContain("all-may-see");
      expect(prompt).not.toContain("held-out-secret");
    }
  });

  it("a feedback template renders the user's own text", async () => {
    const ran = await runTask({
      agent: script([]),
      gates: [{ ...RED, onFailure: { feedback: { template: "Mind {{gate}} ({{summary}}):\n{{output}}" } } }],
      strategy: { type: "fixed", iterations: 1 },
    });
    expect(ran.prompts[0]).toContain("Mind red (exit code 1):\n| broken");
  });
});

describe("onSuccess of a passing gate", () => {
  it("skip-remaining skips the later gates, which do not block convergence", async () => {
    const gates = [{ name: "whole", command: "test -e n", onSuccess: "skip-remaining" }, RED];
    const ran = await runTask({ agent: COUNTING, gates });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1, partial: false });
    expect(standing(ran, 0)).toEqual({ whole: "failed", red: "failed" });
    expect(standing(ran, 1)).toEqual({ whole: "passed", red: "skipped" });
  });
});

describe("conditions for judging", () => {
  it("skipIf skips the gate when an earlier gate failed", async () => {
    const slow = { name: "slow", command: "echo ran >> ../slow-ran", skipIf: { failed: ["quick"] } };
    const quick = { name: "quick", command: 'test "$(cat n)" = 2' };
    const ran = await runTask({ agent: COUNTING, gates: [quick, slow] }, { n: "0" });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(standing(ran, 1)).toEqual({ quick: "failed", slow: "skipped" });
    expect(standing(ran, 2)).toEqual({ quick: "passed", slow: "passed" });
    expect(ran.box.read("../slow-ran")).toBe("ran\n");
  });

  it("on-change carries the verdict over while the files are the same", async () => {
    const gate = { name: "tests", command: "echo ran >> ../ran; test -e done", condition: "on-change" };
    const ran = await runTask({ agent: script([], [], [{ write: { done: "" } }]), gates: [gate] });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 3 });
    expect(ran.box.read("../ran")).toBe("ran\nran\n");
    const carried = ofType(ran.events, "gate.judged").map(({ verdict }) => verdict.carriedFrom);
    expect(carried).toEqual([undefined, 0, 0, undefined]);
  });

  const release = { name: "release", command: "echo ran >> ../ran", condition: "manual" };
  const work = { name: "work", command: "test -e n" };

  it("manual: the run waits for an approval and only then runs the gate", async () => {
    const { box, ...parked } = await runTask({ agent: COUNTING, gates: [work, release] });
    expect(parked).toMatchObject({
      code: 4,
      iterations: 1,
      reason: "release: waiting for a person to start it",
    });
    expect(box.exists("../ran")).toBe(false);

    expect(await box.converge("approve", "last")).toMatchObject({ code: 0 });
    const ran = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 0, partial: false });
    expect(box.read("../ran")).toBe("ran\n");
  });

  it("manual: a rejection fails the gate and its reason reaches the agent", async () => {
    const { box } = await runTask({ agent: COUNTING, gates: [work, release] });
    await box.converge("reject", "last", "release", "--message", "the changelog is missing");
    const ran = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(ran).toMatchObject({
      code: 4,
      iterations: 1,
      reason: "release: waiting for a person to start it",
    });
    expect(standing(ran, 1)).toEqual({ release: "failed" });
    expect(ran.prompts[0]).toMatch(/^\| rejected by .*: the changelog is missing$/m);
    expect(box.exists("../ran")).toBe(false);
  });

  it("manual: asks nobody while another gate is red", async () => {
    const ran = await runTask({
      agent: COUNTING,
      gates: [RED, release],
      strategy: { type: "fixed", iterations: 2 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
  });
});
