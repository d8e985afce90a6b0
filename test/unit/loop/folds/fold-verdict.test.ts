import { expect, it } from "vitest";
import { foldAll } from "#loop/fold";
import { best } from "#rules/best-iteration";
import type { EventBody, RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { exampleGate, exampleTask, exampleVerdict } from "#testing/run";

const started: EventBody = {
  type: "run.started",
  task: exampleTask({ gates: [exampleGate("build"), exampleGate("tests")] }),
  taskHash: "",
  dir: "/project",
  host: "here",
  version: "0",
};
const snapshot = (iteration: number): EventBody => ({
  type: "snapshot.taken",
  iteration,
  snapshot: { tree: `tree-${iteration}`, changes: [], changeCount: 0, omitted: [] },
});
const judged = (iteration: number, gate: string, status: "passed" | "failed" | "skipped"): EventBody => ({
  type: "gate.judged",
  iteration,
  gate,
  verdict: exampleVerdict({ status }),
});
const begun = (iteration: number): EventBody => ({ type: "iteration.started", iteration, prompt: "" });

function after(...bodies: EventBody[]): Run {
  const events = [started, ...bodies].map(
    (body, at) => ({ ...body, v: 1, run: "r", seq: at + 1, time: "t", elapsedMs: 0 }) as RunEvent,
  );
  return foldAll(events) as Run;
}

const whole = [begun(1), snapshot(1), judged(1, "build", "passed"), judged(1, "tests", "failed")];

it("an iteration has a score once all gates have a verdict", () => {
  expect(after(...whole.slice(0, 3)).iterations[0]?.score).toBeUndefined();
  expect(after(...whole).iterations[0]?.score).toBe(0.5);
  expect(
    after(begun(1), snapshot(1), judged(1, "build", "passed"), judged(1, "tests", "skipped")).iterations[0]
      ?.score,
  ).toBe(1);
});

it("an iteration interrupted between its gates is never the best one", () => {
  const run = after(...whole, begun(2), snapshot(2), judged(2, "build", "passed"));
  expect(best(run)).toMatchObject({ iteration: 1, score: 0.5 });
});
