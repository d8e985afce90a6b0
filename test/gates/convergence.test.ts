import { describe, expect, it } from "vitest";
import { runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

const settled = { name: "settled", type: "convergence" };
const MANY = { type: "fixed", iterations: 8 };

/** Writes as many lines as the list says, one number per iteration. */
const writing = (...lines: readonly number[]) => ({
  type: "scripted",
  iterations: lines.map((count, index) => [
    { write: { text: Array.from({ length: count }, (_, line) => `${line} of ${count}\n`).join("") } },
    { say: `wrote ${count}, iteration ${index + 1}` },
  ]),
});

describe("convergence: the files have settled", () => {
  it("passes when the last three snapshots are equal, not before, and shows the sizes", async () => {
    const ran = await runTask({ agent: writing(3, 5, 5, 5), gates: [settled], strategy: MANY });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 4 });
    const verdicts = ofType(ran.events, "gate.judged").map(({ verdict }) => verdict);
    expect(verdicts.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed", "passed"]);
    expect(verdicts.map(({ score }) => score)).toEqual([0, 0, 0, 0.5, 1]);
    expect(verdicts[2]?.summary).toContain("lines changed between snapshots: 3, 8");
    expect(ran.prompts[2]).toContain("the files still change");
  });

  it("counts changed lines and passes below the task's threshold", async () => {
    const grow = {
      type: "command",
      command: 'if [ "$CONVERGE_ITERATION" = 1 ]; then seq 50 > text; else echo more >> text; fi',
    };
    const strict = { agent: grow, gates: [settled], strategy: { type: "fixed", iterations: 4 } };
    expect(await runTask(strict)).toMatchObject({ code: 1, outcome: "diverged" });
    const lenient = { ...strict, gates: [{ ...settled, snapshots: 4, maxChangedLines: 1 }] };
    expect(await runTask(lenient)).toMatchObject({ code: 0, outcome: "converged", iterations: 4 });
  });

  it("does not pass when the agent failed", async () => {
    const breaking = { type: "scripted", iterations: [[], [{ fail: "boom" }], [], []] };
    const ran = await runTask({ agent: breaking, gates: [settled], strategy: MANY });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 4 });
  });

  it.each([
    { gate: { snapshots: 1 }, says: "expected at least 2" },
    { gate: { maxChangedLines: -1 }, says: "expected at least 0" },
    { gate: { repeat: { runs: 3, passes: 2 } }, says: "has no effect with type convergence" },
  ])("refuses $gate", async ({ gate, says }) => {
    const { code, stderr } = await runTask({ agent: writing(1), gates: [{ ...settled, ...gate }] });
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });
});
