// Kills around the restore of protected files: no change is reported twice, none stays.
import { expect, it } from "vitest";
import type { RunEvent } from "#spec/event";
import type { TaskInput } from "../../src/index.ts";
import { goOn } from "../support/go-on.ts";
import { ofType, sandbox } from "../support/sandbox.ts";
import { story } from "../support/story.ts";

const RIGHT = "right\n";
const TASK: TaskInput = {
  prompt: "Count.",
  agent: { type: "command", command: 'echo "$CONVERGE_ITERATION" > n; echo wrong > check' },
  strategy: { type: "fixed", iterations: 2 },
  gates: [{ name: "counted", command: 'test "$(cat n)" = 2' }, "grep -q right check"],
  protect: ["check"],
};

it.each([
  ["before the restore", "wrong\n"],
  ["in the middle of the restore", "r"],
  ["after the restore", RIGHT],
])("resumes after recording a protected change, %s", async (_, check) => {
  const box = sandbox();
  box.write({ n: "0\n", check: RIGHT });
  const whole = await goOn(box, [], TASK);
  expect(whole.at(-1)).toMatchObject({ type: "run.ended", outcome: "converged", iterations: 2 });
  expect(ofType(whole, "protected.changed")).toHaveLength(2);
  for (const [index, event] of whole.entries()) {
    if (event.type !== "protected.changed") continue;
    box.write({ n: `${event.iteration}\n`, check });
    const resumed = await goOn(box, whole.slice(0, index + 1), TASK);
    expect(story(resumed)).toEqual(story(whole));
    expect(box.read("check")).toBe(RIGHT);
  }
});

const before = (events: readonly RunEvent[], type: RunEvent["type"], number: number) =>
  events.slice(0, events.indexOf(ofType(events, type)[number - 1] as RunEvent));

it("restores protected files that changed after an interruption at any event", async () => {
  const box = sandbox();
  box.write({ n: "0\n", check: RIGHT });
  const whole = await goOn(box, [], TASK);
  // Before the first iteration the files are the user's own.
  const first = before(whole, "agent.finished", 1).length;
  const last = before(whole, "decision.made", 2).length;
  for (let count = first; count <= last; count++) {
    const recorded = whole.slice(0, count);
    box.write({ check: "wrong\n" });
    const resumed = await goOn(box, recorded, TASK);
    const label = `cut off after ${count} events (${recorded.at(-1)?.type})`;
    expect(resumed.at(-1), label).toMatchObject({ type: "run.ended", outcome: "converged" });
    expect(box.read("check"), label).toBe(RIGHT);
  }
});

it("reports a change found on resume once, however often the resume is interrupted", async () => {
  const box = sandbox();
  box.write({ n: "0\n", check: RIGHT });
  const whole = await goOn(box, [], TASK);
  const judged = before(whole, "decision.made", 1);
  box.write({ n: "1\n", check: "wrong\n" });
  const resumed = await goOn(box, judged, TASK);
  const again = resumed.indexOf(ofType(resumed, "protected.changed")[1] as RunEvent);
  expect(resumed[again]).toMatchObject({ iteration: 1 });
  box.write({ n: "1\n", check: "wrong\n" });
  const twice = await goOn(box, resumed.slice(0, again + 1), TASK);
  const told = ofType(twice, "protected.changed").map(({ iteration }) => iteration);
  expect(told).toEqual([1, 1, 2]);
  expect(twice.at(-1)).toMatchObject({ type: "run.ended", outcome: "converged" });
});

it("action: fail ends the run once, also after an interruption", async () => {
  const box = sandbox();
  box.write({ n: "0\n", check: RIGHT });
  const whole = await goOn(box, [], { ...TASK, protect: { paths: ["check"], action: "fail" } });
  const told = whole.findIndex(({ type }) => type === "protected.changed");
  const resumed = await goOn(box, whole.slice(0, told + 1), TASK);
  expect(story(resumed)).toEqual(story(whole));
  expect(resumed.at(-1)).toMatchObject({
    type: "run.ended",
    outcome: "diverged",
    reason: "the agent changed what is protected: check",
  });
});
