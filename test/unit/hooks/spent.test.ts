import { expect, test } from "vitest";
import { sumMessages } from "#hooks/spent";

test("sums known counts and omits unknown ones", () => {
  const messages = [
    { usage: { inputTokens: 1, costUsd: 0.5 }, model: "a" },
    {},
    { usage: { inputTokens: 2, outputTokens: 3 }, model: "b" },
  ];
  expect(sumMessages(messages)).toEqual({
    usage: { inputTokens: 3, outputTokens: 3, costUsd: 0.5 },
    model: "b",
  });
  expect(sumMessages([{}])).toEqual({});
});
