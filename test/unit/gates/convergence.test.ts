import { describe, expect, it } from "vitest";
import { type ConvergenceOptions, convergence } from "#gates/convergence";
import type { Iteration, Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { gateConformance } from "#testing/gate";
import { exampleRequest, exampleRun } from "#testing/run";
import { folders } from "../../support/folders.ts";

type Change = number | "failed" | "no snapshot" | "put back";

/** Creates a run; each number is the count of lines that an iteration changed. */
function after(changes: readonly Change[]): Run {
  const run = exampleRun(
    changes.map((change) => ({
      ok: change !== "failed",
      ...(change === "no snapshot" && { tree: null }),
    })),
  );
  const trees: (string | undefined)[] = ["base"];
  const iterations = run.iterations.map((iteration, index): Iteration => {
    const before = trees.at(-1);
    const change = changes[index];
    const lines = typeof change === "number" ? change : 0;
    const tree = lines === 0 ? before : `tree-${index + 1}`;
    trees.push(change === "no snapshot" ? undefined : tree);
    const from = change === "put back" ? "another tree" : before;
    return {
      ...iteration,
      ...(from && { from }),
      ...(iteration.snapshot && tree && { snapshot: { ...iteration.snapshot, tree, changedLines: lines } }),
    };
  });
  return { ...run, iterations };
}

function judge(
  changes: readonly Change[],
  options: ConvergenceOptions = {},
  iteration = changes.length,
): Promise<Verdict> {
  const request = exampleRequest({ run: after(changes), iteration, dir: "/", files: "/" });
  return convergence("settled", options).judge(request, new AbortController().signal);
}

gateConformance(
  "the convergence gate",
  {
    folders,
    // The example run has one iteration with an unknown number of changed lines.
    fails: () => convergence("settled"),
  },
  { describe, it, expect },
);

describe("the convergence gate", () => {
  it("passes when the last three snapshots are equal", async () => {
    expect(await judge([12, 0, 0])).toMatchObject({
      status: "passed",
      score: 1,
      summary: "the last 3 snapshots are alike; lines changed between snapshots: 0, 0",
      failures: [],
    });
    expect((await judge([0, 0])).status).toBe("passed");
  });

  it("fails before that and shows the changed lines and the progress", async () => {
    const verdict = await judge([12, 40, 0]);
    expect(verdict).toMatchObject({ status: "failed", score: 0.5 });
    expect(verdict.summary).toBe(
      "1 of 2 consecutive quiet iterations; lines changed between snapshots: 40, 0",
    );
    expect(verdict.failures[0]?.message).toContain("at most 0 allowed");
    expect(await judge([0, 0, 1])).toMatchObject({ status: "failed", score: 0 });
    expect(await judge([0])).toMatchObject({ status: "failed", score: 0.5 });
  });

  it("allows up to maxChangedLines between consecutive snapshots", async () => {
    expect((await judge([90, 5, 5], { maxChangedLines: 5 })).status).toBe("passed");
    expect((await judge([90, 5, 6], { maxChangedLines: 5 })).status).toBe("failed");
  });

  it("compares as many snapshots as configured", async () => {
    expect((await judge([7, 0], { snapshots: 2 })).status).toBe("passed");
    expect(await judge([7, 0, 0, 0], { snapshots: 5 })).toMatchObject({ status: "failed", score: 0.75 });
  });

  it("ignores iterations after the judged one", async () => {
    expect((await judge([0, 0, 9], {}, 2)).status).toBe("passed");
  });
});

describe("the count of quiet iterations starts again after", () => {
  it.each(["failed", "no snapshot", "put back"] as const)("%s", async (change) => {
    expect((await judge([0, 0, change])).status).toBe("failed");
    expect(await judge([0, 0, change, 0])).toMatchObject({ status: "failed" });
    expect((await judge([0, change, 5, 0, 0])).status).toBe("passed");
  });
});

it("fails at the baseline", async () => {
  expect(await judge([0, 0], {}, 0)).toMatchObject({ status: "failed", score: 0 });
});
