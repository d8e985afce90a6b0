import { describe, expect, it } from "vitest";
import { sumUsage } from "#rules/usage";

describe("sumUsage", () => {
  it("sums each count over the usages that report it", () => {
    const usages = [
      { inputTokens: 1, costUsd: 0.5 },
      { inputTokens: 2, outputTokens: 3, cachedTokens: 4 },
      {},
    ];
    expect(sumUsage(usages)).toEqual({ inputTokens: 3, outputTokens: 3, cachedTokens: 4, costUsd: 0.5 });
  });

  it("keeps a reported zero and omits unreported counts", () => {
    expect(sumUsage([{ inputTokens: 0 }])).toEqual({ inputTokens: 0 });
    expect(sumUsage([])).toEqual({});
  });
});
