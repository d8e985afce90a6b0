import { describe, expect, it } from "vitest";
import { findLoop, messagesRepeat, sameSnapshots, similarity } from "#strategies/repetition";
import { type ExampleIteration, exampleRun } from "#testing/run";

const trees = (path: string): ExampleIteration[] => [...path].map((tree) => ({ tree }));
const iterationsOf = (facts: readonly ExampleIteration[]) => exampleRun(facts).iterations;

describe("a loop", () => {
  it.each([
    ["AAA", "iterations 1, 2 and 3 left the same"],
    ["BAAA", "iterations 2, 3 and 4 left the same"],
    ["ABAA", "iterations 1, 3 and 4 left the same"],
    ["ABACA", "iterations 1, 3 and 5 left the same"],
    ["ABAB", "iterations 1, 2, 3 and 4 go back and forth"],
    ["CABAB", "iterations 2, 3, 4 and 5 go back and forth"],
  ])("is seen in %s", async (path, what) => {
    expect((await findLoop(iterationsOf(trees(path))))?.what).toContain(what);
  });

  it.each(["", "A", "AA", "AAB", "ABA", "ABBA", "ABCABC", "AABBCC", "AAXYZA", "AAAB"])(
    "is not seen in %j",
    async (path) => {
      expect(await findLoop(iterationsOf(trees(path)))).toBeUndefined();
    },
  );

  it("is told by a SHA-256 over verdicts and files", async () => {
    const loop = await findLoop(iterationsOf(trees("AAA")));
    expect(loop?.hash).toMatch(/^[0-9a-f]{64}$/);
    const other = await findLoop(iterationsOf(trees("BBB")));
    expect(other?.hash).not.toBe(loop?.hash);
  });

  it("is none while scores or statuses differ", async () => {
    expect(
      await findLoop(iterationsOf([0.1, 0.2, 0.3].map((score) => ({ tree: "A", score })))),
    ).toBeUndefined();
    const statuses = ["failed", "errored", "waiting"] as const;
    expect(await findLoop(iterationsOf(statuses.map((status) => ({ tree: "A", status }))))).toBeUndefined();
  });

  it("needs snapshots, and agents that did not fail", async () => {
    expect(await findLoop(iterationsOf(Array(5).fill({ tree: null })))).toBeUndefined();
    expect(await findLoop(iterationsOf(Array(5).fill({ tree: "A", ok: false })))).toBeUndefined();
  });
});

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
  const said = (...messages: string[]) => iterationsOf(messages.map((message) => ({ message })));
  it.each([
    ["all the same", said("I tried.", "I tried.", "i TRIED."), 3, 1, true],
    ["too few", said("I tried.", "I tried."), 3, 1, false],
    ["only the window counts", said("Else.", "I tried.", "I tried."), 2, 1, true],
    ["one differs", said("I tried.", "Else.", "I tried."), 3, 0.95, false],
    ["similar enough", said("a b c d", "a b c e", "a b c d"), 3, 0.6, true],
    ["not similar enough", said("a b c d", "a b c e", "a b c d"), 3, 0.61, false],
    ["empty ones never", said("", "", ""), 3, 0, false],
    ["one empty", said("a", " ", "a"), 3, 0, false],
    ["a window of one still needs two", said("a"), 1, 0, false],
  ])("%s", (_, iterations, windowSize, minSimilarity, expected) => {
    expect(messagesRepeat(iterations, windowSize, minSimilarity)).toBe(expected);
  });
});
