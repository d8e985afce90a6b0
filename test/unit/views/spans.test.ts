import { expect, it } from "vitest";
import type { RunEvent } from "#spec/event";
import { spansOf } from "#views/overview";

/** Events one second apart. */
function events(...bodies: readonly object[]): RunEvent[] {
  return bodies.map((body, at) => ({
    ...({ ...body, v: 1, run: "r", seq: at + 1, elapsedMs: at } as unknown as RunEvent),
    time: new Date(at * 1000).toISOString(),
  }));
}

it("counts a restore towards the current iteration, not the one whose files it restores", () => {
  const spans = spansOf(
    events(
      { type: "iteration.started", iteration: 6 },
      { type: "agent.finished", iteration: 6 },
      { type: "gate.judged", iteration: 6, gate: "tests" },
      { type: "workspace.restored", iteration: 3 },
      { type: "iteration.started", iteration: 7 },
    ),
  );
  expect(spans.map(({ iteration, kind }) => [iteration, kind])).toEqual([
    [6, "agent"],
    [6, "gate"],
    [6, "other"],
    [7, "other"],
  ]);
});
