// The real opencode in runs of the built CLI.
import { expect, test } from "vitest";
import { ADDS, addsInOneSession, realRun } from "../support/real-run.ts";
import { ofType } from "../support/sandbox.ts";

/** The number of opencode's own attempts. */
const ATTEMPTS = 6;

test("fixes failing tests through its own shell in two iterations, in one session", async () => {
  const first = await addsInOneSession("opencode");
  expect(first).toMatchObject({
    ok: true,
    message: "That should do.",
    sessionId: expect.stringMatching(/^ses_/),
  });
  expect(first?.usage).toEqual({ inputTokens: 3200, outputTokens: 70, cachedTokens: 1000 });
});

test("waits out a rate limit that outlasts the CLI's own retries, without using up an iteration", async () => {
  const limited = { error: { kind: "rate-limit", headers: { "retry-after": "1" } } } as const;
  const { code, events, iterations, server } = await realRun("opencode", {
    files: ADDS,
    agent: { allow: ["cp"] },
    script: (index) =>
      index < ATTEMPTS ? limited : index === ATTEMPTS ? { shell: "cp right.mjs add.mjs" } : { say: "Done." },
  });
  const [delay, ...more] = ofType(events, "agent.delayed");
  expect(more).toEqual([]);
  expect(delay?.reason).toMatch(/^opencode: Rate limit reached/);
  // The service's retry time, not the default half minute.
  const wait = Date.parse(delay?.until ?? "") - Date.parse(delay?.time ?? "");
  expect(wait).toBeLessThanOrEqual(1_000);
  expect(wait).toBeGreaterThan(0);
  expect({ code, iterations }).toEqual({ code: 0, iterations: 1 });
  expect(server.asked.filter(({ turn }) => turn !== undefined)).toHaveLength(ATTEMPTS + 2);
});

test("a refused permission blocks the run and names the setting that allows it", async () => {
  const { code, outcome, reason } = await realRun("opencode", {
    files: ADDS,
    script: [{ shell: "cp right.mjs add.mjs" }, { say: "I may not." }],
  });
  expect({ code, outcome }).toEqual({ code: 3, outcome: "blocked" });
  expect(reason).toContain(
    'opencode was not allowed to run: cp right.mjs add.mjs; allow it with "allow: ["cp right.mjs add.mjs"]"',
  );
});
