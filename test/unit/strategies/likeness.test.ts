import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sketchOf, sketchSimilarity } from "#strategies/shared/likeness";

const likeness = (one: string, other: string) => sketchSimilarity(sketchOf(one), sketchOf(other));

describe("similarity of texts", () => {
  it.each([
    ["the same", "a b\nc", "a b\nc", 1],
    [
      "equal except for blanks, numbers, case and control characters",
      "Took 12.5 s\n\u0007FAIL a",
      "took 3.25  s\r\n fail a",
      1,
    ],
    ["half of the lines", "one\ntwo", "two\nthree", 1 / 3],
    ["nothing in common", "one", "two", 0],
    ["nothing at all", "", "\n \n", 0],
    ["other letters than ASCII", "naïve 日本語", "naïve 日本人", 0],
  ])("%s", (_, one, other, expected) => {
    expect(likeness(one, other)).toBeCloseTo(expected, 10);
  });

  it("is exact for short texts", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.array(line, { maxLength: 40 }), (one, other) => {
        const [mine, theirs] = [new Set(one), new Set(other)];
        const shared = [...mine].filter((each) => theirs.has(each)).length;
        const all = mine.size + theirs.size - shared;
        expect(likeness(one.join("\n"), other.join("\n"))).toBeCloseTo(all === 0 ? 0 : shared / all, 10);
      }),
    );
  });

  it("is approximate for long texts, with sketches of fixed size, and symmetric", () => {
    const word = (at: number) => at.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");
    const lines = Array.from({ length: 50_000 }, (_, at) => `line ${word(at)}`);
    const one = sketchOf(lines.join("\n"));
    const other = sketchOf(lines.map((each, at) => (at % 5 === 0 ? `${each} changed` : each)).join("\n"));
    expect(one.lines.size).toBeLessThanOrEqual(2_048);
    expect(Math.abs(sketchSimilarity(one, other) - 40 / 60)).toBeLessThan(0.06);
    expect(sketchSimilarity(other, one)).toBe(sketchSimilarity(one, other));
  });
});
