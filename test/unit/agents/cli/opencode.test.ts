// opencode: arguments, and parsing of recorded output.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { opencode } from "../../../../src/agents/cli/opencode.ts";
import type { Ask } from "../../../../src/agents/shared/driver.ts";
import { garbledLines } from "../../../support/garbled.ts";
import { play, playTranscript } from "../../../support/play-transcript.ts";

const ASK: Ask = {
  permissions: "auto",
  commands: [],
  access: "write",
  tier: "basic",
  root: false,
  promptFile: "/files/prompt.md",
  folder: "/files/settings",
  reports: "/files/report",
  dir: "/work",
};

const SESSION = "ses_00000000000000000000000001";

function permission(ask: Partial<Ask>) {
  return JSON.parse(opencode.call({ ...ASK, ...ask }).env?.OPENCODE_PERMISSION ?? "");
}

describe("the arguments", () => {
  test("name model and session, but never the prompt", () => {
    const { args } = opencode.call({ ...ASK, model: "openai/gpt-5", session: "ses_1" });
    expect(args).toEqual(["run", "--format", "json", "--model", "openai/gpt-5", "--session", "ses_1"]);
    expect(opencode.stdin).toBe(true);
  });

  test("allow edits and the gates' commands, and deny everything that would prompt", () => {
    const rules = permission({ commands: ["cd web && npm test 2>&1 | tail -5"] });
    expect(rules).toMatchObject({ edit: "allow", external_directory: "deny", doom_loop: "deny" });
    expect(rules.bash).toEqual({
      "*": "deny",
      "cd web": "allow",
      "cd web *": "allow",
      "npm test 2>&1": "allow",
      "npm test 2>&1 *": "allow",
      "npm test": "allow",
      "npm test *": "allow",
      "tail -5": "allow",
      "tail -5 *": "allow",
      true: "allow",
      "true *": "allow",
    });
    // The last matching rule wins.
    expect(Object.keys(rules.bash)[0]).toBe("*");
  });

  test("allow reading outside the workspace only in the folder that the prompt names", () => {
    const rules = permission({ told: "/state/told" });
    expect(rules.external_directory).toEqual({ "*": "deny", "/state/told/*": "allow" });
  });

  test("disable all permission prompts with permissions: all", () => {
    const { args } = opencode.call({ ...ASK, permissions: "all" });
    expect(args).toContain("--auto");
    expect(permission({ permissions: "all" })).toEqual({ "*": "allow" });
  });

  test("allow no changes with read-only access", () => {
    const ask = { access: "read", permissions: "all", commands: ["npm test"] } as const;
    expect(permission(ask)).toMatchObject({ edit: "deny", bash: "deny", external_directory: "deny" });
    expect(opencode.call({ ...ASK, ...ask }).args).not.toContain("--auto");
  });
});

describe("the recorded output", () => {
  test("of a fix yields text, tools and usage with cached tokens, and omits an unknown cost", () => {
    const { shown, report } = playTranscript(opencode, "fixes");
    expect(shown).toEqual([
      { text: "I will fix it." },
      { tool: "bash", text: "echo fixed > a.txt" },
      { text: "It is fixed." },
    ]);
    expect(report).toEqual({
      message: "It is fixed.",
      usage: { inputTokens: 2200, outputTokens: 50, cachedTokens: 1000 },
      sessionId: SESSION,
      refused: [],
    });
  });

  test("of a resumed session yields the same id and the usage of this call", () => {
    const { report } = playTranscript(opencode, "resumed");
    expect(report.sessionId).toBe(SESSION);
    expect(report.usage).toMatchObject({ inputTokens: 1000, outputTokens: 20 });
  });

  test.each(["refused", "ruled"])("reports a refusal once, with the setting: %s", (scenario) => {
    expect(playTranscript(opencode, scenario).report.refused).toEqual([
      'opencode was not allowed to run: npm test; allow it with "allow: ["npm test"]" or "permissions: all" with "isolation: strict"',
    ]);
  });

  test("reports a subagent's refusal once, from standard error", () => {
    const stderr =
      "\u001b[93m! \u001b[0mpermission requested: webfetch (https://x.org); auto-rejecting\n".repeat(2);
    expect(play(opencode, { exitCode: 0, stdout: "", stderr }).report.refused).toEqual([
      'opencode was not allowed to use webfetch https://x.org; allow it with permission.webfetch in its own settings or "permissions: all" with "isolation: strict"',
    ]);
  });

  test.each([
    ["rate-limited", { failure: "rate-limited", retryAfterMs: 2_000 }, /^Rate limit reached for this model/],
    ["overloaded", { failure: "rate-limited" }, /^Our servers are currently overloaded/],
    ["quota", { failure: "blocked", blockedBy: "quota" }, /^You exceeded your current quota/],
    ["wrong-key", { failure: "blocked", blockedBy: "login" }, /^Incorrect API key provided/],
    ["context-too-long", { failure: "context-too-long" }, /^Your input exceeds the context window/],
    ["unknown-model", { failure: "crashed" }, /`opencode models` lists the known models/],
  ])("%s", (scenario, kind, words) => {
    const { reason, ...failed } = playTranscript(opencode, scenario).report.failed ?? { reason: "" };
    expect(failed).toEqual(kind);
    expect(reason).toMatch(words);
  });

  test("leaves an unknown option to exit code and stderr", () => {
    expect(playTranscript(opencode, "bad-flag").report).toEqual({ message: "", usage: {}, refused: [] });
  });

  test("classifies a missing API key by the name of the error", () => {
    const error = { name: "ProviderAuthError", data: { message: "no" } };
    const kind = { failure: "blocked", blockedBy: "login" };
    const stdout = JSON.stringify({ type: "error", error });
    expect(play(opencode, { exitCode: 1, stdout, stderr: "" }).report.failed).toEqual({
      ...kind,
      reason: "no",
    });
  });

  test.each([
    "\u001b[91m\u001b[1mError: \u001b[0mdatabase is locked",
    "\u001b[91m\u001b[1mError: \u001b[0mUnexpected error\n\nFailed query: \n  CREATE TABLE `workspace` (",
  ])("retries when another process has locked the database: %j", (stderr) => {
    const { failed } = play(opencode, { exitCode: 1, stdout: "", stderr }).report;
    expect(failed).toMatchObject({ failure: "rate-limited", retryAfterMs: 5_000 });
    expect(failed?.reason).toContain("XDG_DATA_HOME");
  });

  test("sums up known costs", () => {
    const step = (cost: number) =>
      JSON.stringify({ type: "step_finish", part: { tokens: { input: 1 }, cost } });
    const stdout = [step(0.25), step(0.5)].join("\n");
    expect(play(opencode, { exitCode: 0, stdout, stderr: "" }).report.usage.costUsd).toBe(0.75);
  });

  test("ignores garbage", () => {
    const types = ["step_start", "text", "tool_use", "step_finish", "error"];
    const keys = [
      "part",
      "error",
      "data",
      "message",
      "state",
      "input",
      "tokens",
      "cache",
      "text",
      "name",
      "cost",
    ];
    fc.assert(
      fc.property(garbledLines(types, keys), fc.string(), (lines, stderr) => {
        const { report } = play(opencode, { exitCode: 1, stdout: lines.join("\n"), stderr });
        expect(typeof report.message).toBe("string");
      }),
    );
  });
});
