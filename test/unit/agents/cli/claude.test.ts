import { describe, expect, it } from "vitest";
import { claude } from "#agents/cli/claude";
import type { Ask } from "#agents/shared/driver";
import { neverThrows } from "../../../support/fuzz-reader.ts";
import { ASK, readOut, readTranscript } from "../../../support/transcripts.ts";

const SESSION = "00000000-0000-4000-8000-000000000001";
const MODEL = "claude-sonnet-4-5";
const NOTHING = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

const args = (ask: Partial<Ask> = {}) => claude.call({ ...ASK, ...ask }).args.join(" ");
const rules = (...commands: string[]) => {
  const { args } = claude.call({ ...ASK, commands });
  const settings = args[args.indexOf("--settings") + 1] ?? "";
  return JSON.parse(settings).permissions.allow;
};

describe("the arguments of Claude Code", () => {
  it("ask for JSON lines and allow edits, without optional arguments", () => {
    expect(args()).toBe("-p --output-format stream-json --verbose --permission-mode acceptEdits");
  });

  it("name model and session", () => {
    expect(args({ model: "opus", session: SESSION })).toContain(
      `--verbose --model opus --resume ${SESSION} --perm`,
    );
  });

  it("allow simple commands with any arguments, and joined commands only verbatim", () => {
    expect(rules("npm test", "node a && node b", "python3 -c 'print(1)'")).toEqual([
      "Bash(npm test)",
      "Bash(npm test:*)",
      "Bash(node a && node b)",
      "Bash(python3 -c 'print(1)')",
      "Bash(python3 -c 'print(1)':*)",
    ]);
  });

  it("allow reading the folder that the prompt names", () => {
    expect(args({ told: "/state/told" })).toContain('{"permissions":{"allow":["Read(//state/told/**)"]}}');
  });

  it("leave out commands that would allow everything or nothing", () => {
    expect(args({ commands: ["*", " ", "", "* x", "x".repeat(3_000)] })).toBe(args());
  });

  it("allow no changes with read-only access", () => {
    const read = args({ access: "read", permissions: "all", commands: ["npm test"] });
    expect(read).toBe(
      "-p --output-format stream-json --verbose --permission-mode default --disallowedTools Bash,Edit,Write,NotebookEdit",
    );
  });

  it("allow everything with permissions: all, as root only inside a sandbox", () => {
    expect(args({ permissions: "all" })).toContain("--dangerously-skip-permissions");
    const sandbox = (ask: Partial<Ask>) =>
      claude.call({ ...ASK, permissions: "all", ...ask }).env?.IS_SANDBOX;
    expect(sandbox({ root: true, tier: "basic" })).toBeUndefined();
    expect(sandbox({ root: true, tier: "contained" })).toBe("1");
    expect(sandbox({ root: true, tier: "strict" })).toBe("1");
    expect(sandbox({ root: false, tier: "strict" })).toBeUndefined();
    expect(claude.call({ ...ASK, root: true, tier: "strict" }).env?.IS_SANDBOX).toBeUndefined();
  });

  it("limit its own retries to two", () => {
    expect(claude.call(ASK).env?.CLAUDE_CODE_MAX_RETRIES).toBe("2");
  });
});

describe("recorded output of Claude Code", () => {
  it("of a fix yields shell use, message and usage", () => {
    expect(readTranscript(claude, "fixes")).toEqual({
      shown: ["I will fix it.", "> Bash echo fixed > a.txt", "It is fixed."],
      report: {
        message: "It is fixed.",
        usage: { inputTokens: 2_200, cachedTokens: 1_000, outputTokens: 50, costUsd: 0.00465 },
        model: MODEL,
        sessionId: SESSION,
      },
    });
  });

  it.each([
    ["says", "There is nothing to do."],
    ["resumed", "I do remember."],
  ])("%s", (name, message) => {
    expect(readTranscript(claude, name).report).toEqual({
      message,
      usage: { inputTokens: 1_000, cachedTokens: 0, outputTokens: 20, costUsd: 0.0033 },
      model: MODEL,
      sessionId: SESSION,
    });
  });

  it.each([
    [
      "not-logged-in",
      { failure: "blocked", blockedBy: "login", reason: "Not logged in · Please run /login" },
    ],
    [
      "wrong-key",
      { failure: "blocked", blockedBy: "login", reason: "Invalid API key · Fix external API key" },
    ],
    ["quota", { failure: "blocked", blockedBy: "quota", reason: "Credit balance is too low" }],
    // The limit resets in 2099, which is too long to wait.
    [
      "usage-limit",
      {
        failure: "blocked",
        blockedBy: "quota",
        reason: "You've hit your session limit · resets Jan 1, 2099, 12am (UTC)",
      },
    ],
    ["rate-limited", { failure: "rate-limited", reason: expect.stringContaining("(429)") }],
    ["overloaded", { failure: "rate-limited", reason: expect.stringContaining("529 Overloaded") }],
    [
      "context-too-long",
      { failure: "context-too-long", reason: expect.stringMatching(/^Prompt is too long/) },
    ],
    ["unknown-model", { failure: "blocked", reason: expect.stringContaining("(no-such-model)") }],
  ])("%s", (name, failed) => {
    const { report } = readTranscript(claude, name);
    expect(report.failed).toEqual(failed);
    expect(report).toMatchObject({ usage: NOTHING, sessionId: SESSION });
    expect(report.usage).not.toHaveProperty("costUsd");
  });

  it("reports that Claude Code refuses to skip permissions as root", () => {
    expect(readTranscript(claude, "as-root").report).toEqual({
      message: "",
      usage: {},
      failed: {
        failure: "blocked",
        blockedBy: "permission",
        reason: expect.stringContaining('use "isolation: strict"'),
      },
    });
  });

  it("leaves an unknown option to the exit code", () => {
    expect(readTranscript(claude, "bad-flag")).toEqual({ shown: [], report: { message: "", usage: {} } });
  });

  it("names refusals and the setting that would allow each", () => {
    const { report } = readTranscript(claude, "refused");
    expect(report.failed).toBeUndefined();
    expect(report.refused).toEqual([
      'Claude Code was not allowed to use Bash: npm test; allow it with "allow: [npm]" or "permissions: all" with "isolation: strict"',
    ]);
    const reading = readTranscript(claude, "refused", { ...ASK, access: "read" });
    expect(reading.report).not.toHaveProperty("refused");
  });
});

const json = (value: unknown) => JSON.stringify(value);
const result = (more: object = {}) => json({ type: "result", is_error: false, result: "Done.", ...more });

describe("other output of Claude Code", () => {
  const refused = (command: string, answer: string, tool = "Bash") =>
    readOut(claude, [
      json({ type: "user", message: { content: [{ tool_use_id: "t", is_error: true, content: answer }] } }),
      result({ permission_denials: [{ tool_name: tool, tool_use_id: "t", tool_input: { command } }] }),
    ]).report.refused?.[0];

  it("names the refused part of a joined command", () => {
    const several =
      "This Bash command contains multiple operations. The following part requires approval: curl http://x";
    expect(refused("node -v && curl http://x", several)).toContain(
      '"allow: [curl]" or "permissions: all" with "isolation: strict"',
    );
    const both =
      "This Bash command contains multiple operations. The following parts require approval: ./x.sh, curl y";
    expect(refused("./x.sh && curl y", both)).toContain('"allow: [./x.sh]"');
  });

  it("suggests no command when allowing one would not help", () => {
    for (const answer of [
      "cat in '/etc/passwd' was blocked. For security, …",
      "Contains shell syntax (string) that cannot be statically analyzed",
      "",
    ])
      expect(refused("cat /etc/passwd", answer)).toMatch(
        /cat \/etc\/passwd; allow it with "permissions: all" with "isolation: strict"$/,
      );
    expect(refused("x", "This command requires approval", "WebFetch")).toMatch(
      /WebFetch: x; allow it with "perm/,
    );
    expect(refused("$(evil) x", "This command requires approval")).toMatch(
      /; allow it with "permissions: all" with "isolation: strict"$/,
    );
  });

  const limited = json({ type: "result", is_error: true, result: "API Error: Request rejected (429)" });

  it("uses the retry delay of the service, not the CLI's own backoff", () => {
    const retry = (ms: number) =>
      readOut(claude, [
        json({
          type: "system",
          subtype: "api_retry",
          retry_delay_ms: ms,
          error_status: 429,
          error: "rate_limit",
        }),
        limited,
      ]);
    expect(retry(2_000).report.failed?.retryAfterMs).toBe(2_000);
    expect(retry(2_000).shown).toEqual(["[waits 2.0 s: rate_limit 429]"]);
    expect(retry(529.7628).report.failed).not.toHaveProperty("retryAfterMs");
  });

  it("waits until the limit of a subscription resets", () => {
    const event = (status: string) =>
      json({ type: "rate_limit_event", rate_limit_info: { status, resetsAt: 1_794_834_000 } });
    const limit = json({ type: "result", is_error: true, result: "You've hit your session limit" });
    expect(readOut(claude, [event("rejected"), limit]).report.failed).toEqual({
      failure: "rate-limited",
      reason: "You've hit your session limit",
      retryAfterMs: 3_600_000,
    });
    expect(readOut(claude, [event("allowed"), limit]).report.failed?.blockedBy).toBe("quota");
  });

  it("does not resume a session that does not exist", () => {
    const errors = [`No conversation found with session ID: ${SESSION}`];
    const lost = json({
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      session_id: SESSION,
      errors,
    });
    const { report } = readOut(claude, [lost], { exitCode: 1 });
    expect(report.failed).toEqual({ failure: "crashed", reason: errors[0] });
    expect(report).not.toHaveProperty("sessionId");
  });

  it("shows tools by their main argument", () => {
    const use = (name: string, input: object) =>
      json({ type: "assistant", message: { content: [{ type: "tool_use", name, input }] } });
    const lines = [
      use("Edit", { file_path: "a.ts", old_string: "x" }),
      use("Grep", { pattern: "TODO", path: "src" }),
      use("WebFetch", { url: "http://x", prompt: "?" }),
      use("TaskList", {}),
    ];
    expect(readOut(claude, lines).shown).toEqual([
      "> Edit a.ts",
      "> Grep TODO",
      "> WebFetch http://x",
      "> TaskList ",
    ]);
  });

  it("does not use a subagent's text as the final message", () => {
    const says = (text: string, parent: string | null) =>
      json({ type: "assistant", parent_tool_use_id: parent, message: { content: [{ type: "text", text }] } });
    expect(readOut(claude, [says("mine", null), says("helper's", "t")]).report.message).toBe("mine");
  });
});

neverThrows(claude);
