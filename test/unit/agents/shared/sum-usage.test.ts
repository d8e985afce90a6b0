import { expect, test } from "vitest";
import { sumUsage } from "#rules/usage";

test("sums known counts and omits unknown ones", () => {
  expect(sumUsage([{ inputTokens: 1, costUsd: 0.5 }, {}, { inputTokens: 2, outputTokens: 3 }])).toEqual({
    inputTokens: 3,
    outputTokens: 3,
    costUsd: 0.5,
  });
  expect(sumUsage([])).toEqual({});
});
