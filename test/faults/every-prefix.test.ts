import { expect, it } from "vitest";
import { goOn } from "../support/go-on.ts";
import { ofType, sandbox } from "../support/sandbox.ts";
import { story } from "../support/story.ts";

const TASK = {
  prompt: "Count.",
  agent: { type: "command", command: 'echo "$CONVERGE_ITERATION" > n' },
  strategy: { type: "fixed", iterations: 3 },
  onResume: "restore" as const,
  gates: [
    { name: "counted", command: 'test "$(cat n)" = 3', onFailure: "escalate" as const },
    { name: "there", command: "test -f n" },
  ],
};

const CHECK = 'test "$(cat n)" = 2\n';
const WEAK = "true             #\n";

const GUARDED = {
  prompt: "Count.",
  agent: {
    type: "command",
    command: `echo "$CONVERGE_ITERATION" > n; test "$CONVERGE_ITERATION" = 2 || printf '${WEAK.replace("\n", "\\n")}' > check.sh`,
  },
  strategy: { type: "fixed", iterations: 3 },
  onResume: "restore" as const,
  gates: [{ name: "counted", command: "sh check.sh" }],
  cleanRoom: true,
  deliver: "patch" as const,
};

it("a run interrupted after any event resumes to the same end", async () => {
  const box = sandbox();
  box.write({ n: "0\n" });
  const whole = await goOn(box, [], TASK);
  expect(whole.at(-1)).toMatchObject({ type: "run.ended", outcome: "converged", iterations: 3 });
  expect(whole.length).toBeGreaterThan(20);
  for (let count = 1; count < whole.length; count++) {
    const recorded = whole.slice(0, count);
    box.write({ n: `${ofType(recorded, "agent.finished").length}\n` });
    const resumed = await goOn(box, recorded, TASK);
    expect(story(resumed), `cut off after ${count} events (${whole[count - 1]?.type})`).toEqual(story(whole));
  }
});

it("a run with protected changes, clean rooms and a delivery resumes to the same end after any event", async () => {
  const box = sandbox();
  box.write({ n: "0\n", "check.sh": CHECK });
  const whole = await goOn(box, [], GUARDED);
  expect(whole.at(-1)).toMatchObject({ type: "run.ended", outcome: "converged", iterations: 2 });
  expect(ofType(whole, "protected.changed")).toHaveLength(1);
  expect(ofType(whole, "run.delivered")).toMatchObject([{ delivered: { type: "patch" } }]);
  for (let count = 1; count < whole.length; count++) {
    const recorded = whole.slice(0, count);
    const last = recorded.at(-1);
    const changed =
      last?.type === "protected.changed" || (last?.type === "agent.finished" && last.iteration === 1);
    box.write({
      n: `${ofType(recorded, "agent.finished").length}\n`,
      "check.sh": changed ? WEAK : CHECK,
    });
    const resumed = await goOn(box, recorded, TASK);
    expect(story(resumed), `cut off after ${count} events (${last?.type})`).toEqual(story(whole));
    expect(box.read("check.sh")).toBe(CHECK);
  }
});
