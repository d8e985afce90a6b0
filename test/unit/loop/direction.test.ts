import { describe, expect, it } from "vitest";
import { directed } from "#loop/direction";
import { type ExampleIteration, exampleRun } from "#testing/run";

const decide = (facts: readonly ExampleIteration[], baseline: ExampleIteration = {}) =>
  directed(exampleRun(facts, { baseline }));

describe("a person's decision", () => {
  it("is undefined without a decision about the latest iteration", () => {
    expect(decide([{}, {}])).toBeUndefined();
    expect(decide([{ direction: { choice: "continue" } }, {}])).toBeUndefined();
  });

  it("continues with the person's feedback", () => {
    expect(decide([{ direction: { choice: "continue" } }])).toEqual({
      continue: true,
      reason: "a person continued after iteration 1",
      confidence: 1,
    });
    const continued = decide([{ direction: { choice: "continue", feedback: "Mind the edge." } }]);
    expect(continued?.feedback).toBe("Mind the edge.");
  });

  it("accepts and stops", () => {
    expect(decide([{ direction: { choice: "accept" } }])).toMatchObject({
      continue: false,
      accept: true,
    });
    const stopped = decide([{ direction: { choice: "stop" } }]);
    expect(stopped).toEqual({
      continue: false,
      reason: "a person stopped the run after iteration 1",
      confidence: 1,
    });
  });
});

describe("a person's rollback", () => {
  const back = (iteration?: number): ExampleIteration => ({
    score: 0,
    direction: { choice: "rollback", feedback: "Again.", ...(iteration === undefined ? {} : { iteration }) },
  });

  it("goes to the given iteration, with the person's feedback", () => {
    expect(decide([{ score: 1 }, {}, back(2)])).toEqual({
      continue: true,
      rollbackTo: 2,
      reason: "a person rolled the files back to iteration 2",
      confidence: 1,
      feedback: "Again.",
    });
    expect(decide([back(0)])?.reason).toBe("a person rolled the files back to the base");
  });

  it.each([
    ["the best earlier iteration", [{ score: 0.2 }, { score: 0.6 }, { score: 0.4 }, back()], {}, 2],
    ["the later of equally good iterations", [{ score: 0.5 }, { score: 0.5 }, back()], {}, 2],
    ["the base when that is best", [{ score: 0.2 }, back()], { score: 0.7 }, 0],
    ["the base when there is nothing else", [back()], {}, 0],
    ["the previous iteration without scores", [{ score: null }, { score: null }, back()], { score: null }, 2],
    ["an iteration with a snapshot", [{ score: 0.2 }, { score: 0.9, tree: null }, back()], {}, 1],
  ])("goes by default to %s", (_, facts, baseline, expected) => {
    expect(decide(facts, baseline)?.rollbackTo).toBe(expected);
  });

  it("waits for another decision when the snapshot does not exist", () => {
    const decision = decide([{}, back(7)]);
    expect(decision).toMatchObject({ continue: false, wait: true });
    expect(decision?.reason).toBe(
      "there is no snapshot of iteration 7 to roll back to (there are: 0, 1, 2); waiting for a person to decide about iteration 2",
    );
    const nowhere = decide([{ ...back(), tree: null }], { tree: null });
    expect(nowhere).toMatchObject({ wait: true, reason: expect.stringContaining("no earlier snapshot") });
  });
});
