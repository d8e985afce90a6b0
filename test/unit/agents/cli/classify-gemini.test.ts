// Classifying errors of Google's service and its CLI.
import { expect, test } from "vitest";
import { classify } from "../../../../src/agents/shared/classify-failure.ts";

const NOW = new Date("2026-01-01T00:00:00Z");

test.each([
  ["You have exhausted your daily quota on this model.", { failure: "blocked", blockedBy: "quota" }],
  [
    "You have exhausted your capacity on this model. Your quota will reset after 3h5m.",
    { failure: "rate-limited", retryAfterMs: 11_100_000 },
  ],
  [
    "The input token count (1215437) exceeds the maximum number of tokens allowed",
    { failure: "context-too-long" },
  ],
  [
    "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
    { failure: "blocked", blockedBy: "login" },
  ],
  ["models/gemini-9 is not found for API version v1beta", { failure: "blocked" }],
])("%s", (error, kind) => {
  expect(classify(error, NOW)).toEqual({ ...kind, reason: error });
});
