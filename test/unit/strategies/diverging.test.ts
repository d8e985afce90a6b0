import { describe, expect, it } from "vitest";
import { adaptive } from "#strategies/adaptive/adaptive";
import { divergence } from "#strategies/shared/diverging";
import { type ExampleIteration, exampleRun, exampleVerdict } from "#testing/run";

/** One letter for each failing test. */
const at = (score: number, names: string): ExampleIteration => ({
  score,
  verdicts: [
    {
      gate: "tests",
      verdict: exampleVerdict({ score, failures: [...names].map((id) => ({ id, message: "no" })) }),
    },
  ],
});
const best = at(0.8, "ab");
const worse = [at(0.6, "abcd"), at(0.5, "abcde"), at(0.6, "acde")];

describe("divergence", () => {
  it("is detected after three iterations below the best score with more tests broken than fixed", () => {
    expect(divergence(exampleRun([best, ...worse]))).toMatchObject({
      continue: false,
      reason:
        "diverging: below the score of iteration 1 for 3 iterations, with 3 more tests broken and 1 fixed",
    });
  });

  it.each<[string, ExampleIteration[]]>([
    ["before three iterations", worse.slice(0, 2)],
    ["when the run returned to its best score in between", [worse[0], best, worse[1]] as ExampleIteration[]],
    ["when the run fixes as many tests as it breaks", [...worse.slice(0, 2), at(0.6, "cd")]],
    ["when the tests have no names", worse.map(({ score }) => ({ score: score as number }))],
  ])("is not detected %s", (_, facts) => {
    expect(divergence(exampleRun([best, ...facts]))).toBeUndefined();
  });

  it("makes adaptive roll back to the best files once, then end the run", async () => {
    const first = await adaptive()(exampleRun([best, ...worse]));
    expect(first).toMatchObject({
      continue: true,
      rollbackTo: 1,
      fresh: true,
      reason: expect.stringContaining("diverging: below the score of iteration 1"),
    });
    const again = [
      best,
      ...worse.slice(0, 2),
      { ...(worse[2] as ExampleIteration), decision: first },
      ...worse,
    ];
    expect(await adaptive()(exampleRun(again))).toMatchObject({
      continue: false,
      reason: expect.stringMatching(/^diverging/),
    });
  });
});
