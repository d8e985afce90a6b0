import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify } from "#agents/shared/classify-failure";

const NOW = new Date("2026-11-16T12:00:00Z");

const BLOCKED: readonly (readonly [string | undefined, readonly string[]])[] = [
  [
    "login",
    [
      "Not logged in · Please run /login",
      "Invalid API key · Fix external API key",
      "Failed to authenticate. API Error: 401 OAuth token has been revoked · Please run /login",
      "Missing environment variable: `OPENAI_API_KEY`.",
      "unexpected status 401 Unauthorized: Incorrect API key provided: test-key.",
      "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header",
      "Please set an Auth method in your settings.json or specify one of the following environment variables",
    ],
  ],
  [
    "quota",
    [
      "Credit balance is too low",
      "Quota exceeded. Check your plan and billing details.",
      "You exceeded your current quota, please check your plan and billing details.",
      "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro).",
      "5-hour limit reached",
    ],
  ],
  [
    undefined,
    [
      "There's an issue with the selected model (no-such-model). It may not exist or you may not have access to it.",
      "The model `no-such-model` does not exist or you do not have access to it.",
      "The 'gpt-6' model is not supported when using Codex with a ChatGPT account.",
    ],
  ],
];

describe("classifying an error", () => {
  for (const [blockedBy, sentences] of BLOCKED)
    it.each(sentences)(`is blocked (${blockedBy ?? "another model"}): %s`, (reason) => {
      expect(classify(reason, NOW)).toEqual({ failure: "blocked", ...(blockedBy && { blockedBy }), reason });
    });

  it.each([
    "API Error: Request rejected (429) · This request would exceed the rate limit for your organization of 50,000 input tokens per minute.",
    "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.",
    "exceeded retry limit, last status: 429 Too Many Requests",
    "API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment.",
    "API Error: Unable to connect to API (ConnectionRefused)",
    "We’re currently experiencing high demand, which may cause temporary errors.",
    "stream disconnected before completion: Connection refused (os error 111)",
    "Selected model is at capacity. Please try a different model.",
    '{"error":{"code":503,"status":"UNAVAILABLE","message":"The model is overloaded."}}',
  ])("is a rate limit: %s", (reason) => {
    expect(classify(reason, NOW)).toEqual({ failure: "rate-limited", reason });
  });

  it.each([
    "Prompt is too long · the request is ~214315 tokens (limit 200000)",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "Codex ran out of room in the model's context window. Start a new thread.",
  ])("is a context that is too long: %s", (reason) => {
    expect(classify(reason, NOW)).toEqual({ failure: "context-too-long", reason });
  });

  it.each([
    ["You've hit your limit · resets 3pm (Europe/Berlin)", 2 * 3_600_000],
    ["You've hit your usage limit. Try again in 5 minutes.", 300_000],
    ["You exceeded your current quota. Please retry in 35s.", 35_000],
    ["429 rate limit; retry-after: 7", 7_000],
  ])("is a rate limit with a retry delay: %s", (reason, retryAfterMs) => {
    expect(classify(reason, NOW)).toEqual({ failure: "rate-limited", reason, retryAfterMs });
  });

  it.each(["error: unknown option '--no-such-flag'", "Segmentation fault", ""])(
    "does not classify: %s",
    (error) => {
      expect(classify(error, NOW)).toBeUndefined();
    },
  );

  it("truncates the error to one line", () => {
    const reason = classify(`429 \u001b[31m${"long\n".repeat(1_000)}`, NOW)?.reason ?? "";
    expect(reason).toMatch(/^429 long long .*characters left out\]$/);
    expect(reason.length).toBeLessThan(500);
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string(), (error) => void classify(error, NOW)));
  });
});
