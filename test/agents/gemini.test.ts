// The real Gemini CLI in runs of the built CLI.
import { expect, test } from "vitest";
import { ADDS, addsInOneSession, realRun } from "../support/real-run.ts";
import { ofType } from "../support/sandbox.ts";

test("fixes failing tests through its own shell in two iterations, in one session", async () => {
  const first = await addsInOneSession("gemini");
  expect(first).toMatchObject({ ok: true, message: "That should do.", model: "gemini-2.5-flash" });
  expect(first?.usage).toMatchObject({ inputTokens: 3200, outputTokens: 70, cachedTokens: 1000 });
  expect(first?.sessionId).toMatch(/^[\da-f-]{36}$/);
});

test("waits out a rate limit that outlasts the CLI's own retries, without using up an iteration", async () => {
  const limited = { error: { kind: "rate-limit" } } as const;
  const { code, events, iterations } = await realRun("gemini", {
    files: ADDS,
    agent: { allow: ["cp"] },
    world: { retries: 1 },
    script: [limited, limited, { shell: "cp right.mjs add.mjs" }, { say: "Done." }],
  });
  const [delay, ...more] = ofType(events, "agent.delayed");
  expect(more).toEqual([]);
  expect(delay?.reason).toMatch(/^Gemini CLI: .*exceeded your current quota/);
  // The service's retry time, not the default half minute.
  const wait = Date.parse(delay?.until ?? "") - Date.parse(delay?.time ?? "");
  expect(wait).toBeLessThanOrEqual(2_000);
  expect(wait).toBeGreaterThan(0);
  expect({ code, iterations }).toEqual({ code: 0, iterations: 1 });
});

test("a refused permission blocks the run and names the setting that allows it", async () => {
  const { code, outcome, reason } = await realRun("gemini", {
    files: ADDS,
    script: [{ shell: "cp right.mjs add.mjs" }, { say: "I may not." }],
  });
  expect({ code, outcome }).toEqual({ code: 3, outcome: "blocked" });
  expect(reason).toContain(
    'Gemini CLI was not allowed to run: cp right.mjs add.mjs; allow it with "allow: ["cp right.mjs add.mjs"]"',
  );
});

test("an untrusted folder is left alone, with the way to trust it", async () => {
  const { code, outcome, reason } = await realRun("gemini", {
    files: ADDS,
    agent: { env: { GEMINI_CLI_TRUST_WORKSPACE: "false" } },
    script: [],
  });
  expect({ code, outcome }).toEqual({ code: 3, outcome: "blocked" });
  expect(reason).toContain("GEMINI_CLI_TRUST_WORKSPACE=true");
});

test("is blocked without a key, with the way to log in", async () => {
  const { code, outcome, reason } = await realRun("gemini", { world: { loggedOut: true }, script: [] });
  expect({ code, outcome }).toEqual({ code: 3, outcome: "blocked" });
  expect(reason).toContain("set GEMINI_API_KEY");
});
