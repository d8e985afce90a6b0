import { describe, expect, it } from "vitest";
import { backoffMs } from "#rules/backoff";

describe("backoffMs", () => {
  it.each([
    [0, 100],
    [1, 200],
    [2, 400],
    [3, 800],
    [4, 1_000],
    [100_000, 1_000],
  ])("doubles up to the limit: after %d retries %d ms", (retries, delay) => {
    expect(backoffMs(retries, { firstMs: 100, maxMs: 1_000 })).toBe(delay);
  });

  it("grows by the given factor", () => {
    expect([0, 1, 2].map((retries) => backoffMs(retries, { firstMs: 4, maxMs: 99, factor: 1.5 }))).toEqual([
      4, 6, 9,
    ]);
    expect(backoffMs(9, { firstMs: 4, maxMs: 99, factor: 1 })).toBe(4);
  });

  it("never waits longer than the limit, not even the first time", () => {
    expect(backoffMs(0, { firstMs: 500, maxMs: 100 })).toBe(100);
  });

  it("takes a random share off the delay, the limit included", () => {
    const backoff = { firstMs: 100, maxMs: 200, jitter: 0.5 };
    expect([0, 0.5, 1].map((random) => backoffMs(0, backoff, () => random))).toEqual([100, 75, 50]);
    expect(backoffMs(7, backoff, () => 1)).toBe(100);
  });
});
