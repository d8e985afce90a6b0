import { expect, it } from "vitest";
import { fold, foldAll } from "#loop/fold";
import type { EventBody, RunEvent } from "#spec/event";
import type { Snapshot } from "#spec/workspace";
import { exampleGate, exampleTask, exampleVerdict } from "#testing/run";

const snapshot = (tree: string, changedLines: number): Snapshot => ({
  tree,
  changes: [],
  changeCount: 1,
  changedLines,
  omitted: [],
});
const taken = (iteration: number, tree: string, lines = 1): EventBody => ({
  type: "snapshot.taken",
  iteration,
  snapshot: snapshot(tree, lines),
});
const approve: EventBody = {
  type: "command.received",
  queued: { id: 1, command: { type: "approve", gate: "review", by: "ann" } },
};

const asksAfter: readonly EventBody[] = [
  {
    type: "run.started",
    task: exampleTask({ gates: [exampleGate("review", "approval")] }),
    taskHash: "0",
    dir: "/project",
    host: "example",
    version: "0",
  },
  taken(0, "base"),
  { type: "iteration.started", iteration: 1, prompt: "" },
];
const asks: readonly EventBody[] = [
  ...asksAfter,
  taken(1, "one", 5),
  { type: "gate.judged", iteration: 1, gate: "review", verdict: exampleVerdict({ status: "waiting" }) },
  { type: "run.parked", reason: "review", gates: ["review"] },
];

const stamped = (bodies: readonly EventBody[]) =>
  bodies.map((body, index): RunEvent => {
    const time = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
    return { ...body, v: 1, run: "example", seq: index + 1, time, elapsedMs: index };
  });
const after = (...bodies: readonly EventBody[]) => foldAll(stamped(bodies))?.iterations[0];

it("an approval counts for the gate that asked and clears its waiting verdict", () => {
  expect(after(...asks)?.asked).toEqual({ review: "2026-01-01T00:04:00.000Z" });
  expect(after(...asks, approve)).toMatchObject({ approvals: [{ by: "ann" }], verdicts: [] });
});

it("an approval that no gate asked for is ignored", () => {
  expect(after(...asksAfter, approve)?.approvals).toEqual([]);
});

it("a changed snapshot discards the approvals and verdicts of the old one", () => {
  const events = stamped([...asks, approve, taken(1, "two", 2), approve]);
  const run = foldAll(events);
  expect(run?.iterations[0]).toMatchObject({ asked: {}, approvals: [], verdicts: [] });
  expect(run?.state).toBe("running");
});

it("a new snapshot sets a parked run back to running", () => {
  const run = foldAll(stamped(asks));
  expect(run?.state).toBe("waiting");
  const [event] = stamped([taken(1, "two")]);
  expect(event && fold(run, event)).toMatchObject({ state: "running" });
});

it("a second snapshot of an iteration adds its changed lines to the first", () => {
  expect(after(...asks, taken(1, "two", 2))?.snapshot?.changedLines).toBe(7);
});
