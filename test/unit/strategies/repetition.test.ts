import { describe, expect, it } from "vitest";
import { messagesRepeat, sameSnapshots, similarity } from "#strategies/shared/repetition";
import { type ExampleIteration, exampleRun } from "#testing/run";

const iterationsOf = (facts: readonly ExampleIteration[]) => exampleRun(facts).iterations;

describe("snapshots are the same", () => {
  it("only when both exist and are equal", () => {
    const [a, same, b, none] = iterationsOf([{ tree: "A" }, { tree: "A" }, { tree: "B" }, { tree: null }]);
    expect(sameSnapshots(a, same)).toBe(true);
    expect(sameSnapshots(a, b)).toBe(false);
    expect(sameSnapshots(none, none)).toBe(false);
    expect(sameSnapshots(a, undefined)).toBe(false);
  });
});

describe("similarity", () => {
  it.each([
    ["a b c", "a b c", 1],
    ["A  b\nC", "c B a", 1],
    ["a b", "b c", 1 / 3],
    ["a", "b", 0],
    ["[12:00:01] wrote /tmp/a1/x in 1.2s", "[13:01:02] wrote /tmp/b2/x in 3.4s", 1],
    ["test 1 failed", "test 2 failed", 2 / 4],
    ["", "", 0],
    ["", "a", 0],
  ])("of %j and %j is %d", (one, other, expected) => {
    expect(similarity(one, other)).toBeCloseTo(expected, 10);
  });
});

describe("messages repeat", () => {
  const withMessages = (...messages: string[]) => iterationsOf(messages.map((message) => ({ message })));
  it.each([
    ["all the same", withMessages("I tried.", "I tried.", "i TRIED."), 3, 1, true],
    ["too few", withMessages("I tried.", "I tried."), 3, 1, false],
    ["only the window counts", withMessages("Else.", "I tried.", "I tried."), 2, 1, true],
    ["one differs", withMessages("I tried.", "Else.", "I tried."), 3, 0.95, false],
    ["similar enough", withMessages("a b c d", "a b c e", "a b c d"), 3, 0.6, true],
    ["not similar enough", withMessages("a b c d", "a b c e", "a b c d"), 3, 0.61, false],
    ["empty ones never", withMessages("", "", ""), 3, 0, false],
    ["one empty", withMessages("a", " ", "a"), 3, 0, false],
    ["a window of one still needs two", withMessages("a"), 1, 0, false],
  ])("%s", (_, iterations, windowSize, minSimilarity, expected) => {
    expect(messagesRepeat(iterations, windowSize, minSimilarity)).toBe(expected);
  });
});
