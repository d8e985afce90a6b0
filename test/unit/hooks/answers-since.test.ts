import { expect, test } from "vitest";
import { answersSince } from "#hooks/answers-since";

test("joins the assistant's messages since the mark, with their usage and model", () => {
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: "old", usage: { inputTokens: 9 }, model: "old" },
    { role: "user", content: "again" },
    { role: "assistant", content: "one", usage: { inputTokens: 1, costUsd: 0.5 }, model: "a" },
    { role: "assistant", content: "two", usage: { inputTokens: 2, outputTokens: 3 }, model: "b" },
    { role: "assistant", content: "three" },
  ];
  const answers = {
    message: "one\n\ntwo\n\nthree",
    usage: { inputTokens: 3, outputTokens: 3, costUsd: 0.5 },
    model: "b",
  };
  expect(answersSince(messages, 2)).toEqual(answers);
  // A truncated conversation is read from the last prompt on.
  expect(answersSince(messages, 100)).toEqual(answers);
});

test("omits unknown usage and model", () => {
  expect(answersSince([{ role: "assistant", content: "hi" }], 0)).toEqual({ message: "hi" });
});
