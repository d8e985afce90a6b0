// A gate that turns green on the same files it was red on does not pass.
import { describe, expect, it } from "vitest";
import { type Ran, runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

const shell = (command: string) => ({ type: "command", command });
const IGNORED = { ".gitignore": "cache/\n", src: "1\n" };

/** Verdicts from iteration 1 on. */
const verdicts = (ran: Ran) =>
  ofType(ran.events, "gate.judged")
    .filter(({ iteration }) => iteration > 0)
    .map(({ verdict }) => ({ status: verdict.status, summary: verdict.summary }));

describe("a green verdict on the tree of the red baseline", () => {
  it("fails and says that something outside the snapshot steers the gate", async () => {
    const ran = await runTask(
      {
        agent: shell("mkdir -p cache; touch cache/green"),
        gates: [{ name: "tests", command: "test -f cache/green" }],
        limits: { iterations: 1 },
      },
      IGNORED,
    );
    const summary =
      "passes on the same files that failed at the baseline: the gate is flaky, or something outside the snapshot steers it";
    expect(verdicts(ran)).toEqual([{ status: "failed", summary }]);
    expect(ofType(ran.events, "gate.escalated")).toMatchObject([{ gate: "tests", reason: summary }]);
    expect(ran.outcome).toBe("diverged");
    const text = (await ran.box.converge("report", "last", "--md", "-")).stdout;
    expect(text).toContain("something outside the snapshot steers it");
  });

  it("fails as flaky when the second run on the same files is red", async () => {
    // Every second run passes.
    const flip =
      "if [ -f cache/even ]; then rm cache/even; else mkdir -p cache; touch cache/even; fi; test ! -f cache/even";
    const ran = await runTask(
      { agent: shell("true"), gates: [{ name: "tests", command: flip }], limits: { iterations: 1 } },
      IGNORED,
    );
    expect(verdicts(ran)).toEqual([
      {
        status: "failed",
        summary: "passed and then failed on the same files that failed at the baseline: the gate is flaky",
      },
    ]);
  });

  it("fails when the iteration before was red on the same files", async () => {
    const ran = await runTask(
      {
        agent: shell(
          '[ "$CONVERGE_ITERATION" = 1 ] && echo 2 > src || { mkdir -p cache; touch cache/green; }',
        ),
        gates: [{ name: "tests", command: "test -f cache/green" }],
        limits: { iterations: 2 },
      },
      IGNORED,
    );
    expect(verdicts(ran)[1]).toMatchObject({
      status: "failed",
      summary: expect.stringContaining("the same files that failed in iteration 1"),
    });
  });

  it("passes when a captured file has changed too", async () => {
    const ran = await runTask(
      {
        agent: shell("mkdir -p cache; touch cache/green; echo 2 > src"),
        gates: [{ name: "tests", command: "test -f cache/green" }],
      },
      IGNORED,
    );
    expect(ran).toMatchObject({ outcome: "converged", iterations: 1 });
  });
});
