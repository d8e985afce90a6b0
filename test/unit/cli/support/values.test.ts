import { describe, expect, it } from "vitest";
import { iterationNumber, positiveInt } from "#cli/support/values";

describe("a positive integer", () => {
  it("is optional", () => expect(positiveInt("--limit", undefined)).toBeUndefined());

  it("accepts whole numbers up to the maximum", () => {
    expect(positiveInt("--limit", "1")).toBe(1);
    expect(positiveInt("--priority", "9", { max: 9 })).toBe(9);
  });

  it.each(["0", "-1", "1.5", "", "x", "1e400"])("rejects %j", (text) => {
    expect(() => positiveInt("--limit", text, { hint: "--all lists every run" })).toThrow(
      `--limit: expected a whole number of at least 1, got "${text}"; --all lists every run`,
    );
  });
});

describe("the number of an iteration", () => {
  it("starts at the baseline", () => expect(iterationNumber("0")).toBe(0));

  it.each(["-1", "two", ""])("rejects %j", (text) => {
    expect(() => iterationNumber(text)).toThrow("--iteration: expected the number of an iteration");
  });
});
