import { describe, expect, it } from "vitest";
import { costOf, PRICES } from "#agents/shared/prices";

const MILLION = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

describe("the cost of tokens", () => {
  it("counts input, cached input and output, each at its price", () => {
    const usage = { inputTokens: 2_000_000, cachedTokens: 1_000_000, outputTokens: 1_000_000 };
    expect(costOf("gpt-5", usage)).toBeCloseTo(1.25 + 0.125 + 10);
  });

  it.each([
    ["claude-sonnet-4-5-20250929", 18],
    ["claude-sonnet-4-20250514", 18],
    ["anthropic/claude-opus-4-5", 30],
    ["gpt-5-2025-08-07", 11.25],
    ["gpt-5-mini", 2.25],
    ["gemini-2.5-flash-001", 2.8],
    ["gemini-2.5-flash-lite", 0.5],
    ["gemini-3-pro-preview", 14],
  ])("uses the price of the model family: %s", (model, cost) => {
    expect(costOf(model, MILLION)).toBeCloseTo(cost);
  });

  it.each(["claude-opus-4-6", "claude-sonnet-4-7", "gpt-5-pro", "gpt-5.2", "gpt", "", "constructor"])(
    "is unknown for a model that is not in the table: %s",
    (model) => {
      expect(costOf(model, MILLION)).toBeUndefined();
    },
  );

  it("is unknown without a model, or without tokens", () => {
    expect(costOf(undefined, MILLION)).toBeUndefined();
    expect(costOf("gpt-5", { inputTokens: 5 })).toBeUndefined();
    expect(costOf("gpt-5", {})).toBeUndefined();
  });

  it("prefers the user's own prices, and counts cached tokens as input when they have no price", () => {
    const own = { "gpt-5": { input: 1, output: 2 }, "my-model": { input: 3, output: 4 } };
    expect(costOf("gpt-5", { ...MILLION, cachedTokens: 1_000_000 }, own)).toBe(3);
    expect(costOf("my-model", MILLION, own)).toBe(7);
    expect(costOf("gpt-5-mini", MILLION, own)).toBe(2.25);
  });

  it("never counts more cached tokens than input", () => {
    expect(costOf("gpt-5", { inputTokens: 0, outputTokens: 0, cachedTokens: 9 })).toBe(0);
  });

  it("has plausible prices: cached below input, input below output", () => {
    for (const { input, cached = input, output } of Object.values(PRICES))
      expect(cached > 0 && cached < input && input < output).toBe(true);
  });
});
