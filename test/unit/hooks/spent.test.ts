import { expect, test } from "vitest";
import { spentIn } from "#hooks/spent";

test("adds up what was told, and leaves out what nobody told", () => {
  const messages = [
    { usage: { inputTokens: 1, costUsd: 0.5 }, model: "a" },
    {},
    { usage: { inputTokens: 2, outputTokens: 3 }, model: "b" },
  ];
  expect(spentIn(messages)).toEqual({ usage: { inputTokens: 3, outputTokens: 3, costUsd: 0.5 }, model: "b" });
  expect(spentIn([{}])).toEqual({});
});
