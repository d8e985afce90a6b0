import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { codex } from "#agents/cli/codex";
import type { Ask } from "#agents/shared/driver";
import { temporary } from "../../../support/folders.ts";
import { neverThrows } from "../../../support/fuzz-reader.ts";
import { ASK, readOut, readTranscript } from "../../../support/transcripts.ts";

const SESSION = "00000000-0000-4000-8000-000000000001";
const args = (ask: Partial<Ask> = {}) => codex.call({ ...ASK, ...ask }).args.join(" ");
const BEGIN = 'exec --json --skip-git-repo-check --config approval_policy="never"';

describe("the arguments of Codex", () => {
  it("use its own sandbox and disable approvals", () => {
    expect(args()).toBe(`${BEGIN} --sandbox workspace-write -`);
  });

  it("name model and session", () => {
    expect(args({ model: "gpt-5", session: SESSION })).toBe(
      `${BEGIN} --model gpt-5 --sandbox workspace-write resume ${SESSION} -`,
    );
  });

  it("disable its sandbox only inside our strict tier", () => {
    expect(args({ tier: "contained" })).toContain("--sandbox workspace-write");
    expect(args({ tier: "strict" })).toContain("--sandbox danger-full-access");
  });

  it("allow no changes with read-only access", () => {
    const ask = { access: "read", permissions: "all", tier: "strict" } as const;
    expect(args(ask)).toBe(`${BEGIN} --sandbox read-only -`);
  });

  it("allow everything with permissions: all", () => {
    expect(args({ permissions: "all" })).toBe(`${BEGIN} --dangerously-bypass-approvals-and-sandbox -`);
  });

  describe("with a model in its settings", () => {
    const before = process.env.CODEX_HOME;
    afterEach(() => {
      if (before === undefined) delete process.env.CODEX_HOME;
      else process.env.CODEX_HOME = before;
    });
    const modelIn = (config?: string) => {
      const home = temporary();
      if (config !== undefined) fs.writeFileSync(path.join(home, "config.toml"), config);
      process.env.CODEX_HOME = home;
      return codex.call(ASK).model;
    };

    it.each([
      ['# mine\nmodel = "gpt-5-codex"\n[tools]\nx = 1\n', "gpt-5-codex"],
      ["model='gpt-5'", "gpt-5"],
      ['profile = "fast"\nmodel = "gpt-5"\n', undefined],
      ['[profiles.fast]\nmodel = "gpt-5"\n', undefined],
      ["model = 5\n", undefined],
      ["", undefined],
      [undefined, undefined],
    ])("%s", (config, model) => {
      expect(modelIn(config)).toBe(model);
    });
  });
});

describe("recorded output of Codex", () => {
  it("of a fix yields shell use, message and usage", () => {
    expect(readTranscript(codex, "fixes")).toEqual({
      shown: ["I will fix it.", "> shell echo fixed > a.txt", "It is fixed."],
      report: {
        message: "It is fixed.",
        usage: { inputTokens: 2_200, cachedTokens: 1_000, outputTokens: 50 },
        sessionId: SESSION,
      },
    });
  });

  it.each([
    ["says", "There is nothing to do.", 1_000, 20],
    // The second call of a session reports the usage of the whole session.
    ["resumed", "I do remember.", 2_000, 40],
  ])("%s", (name, message, inputTokens, outputTokens) => {
    expect(readTranscript(codex, name).report).toEqual({
      message,
      usage: { inputTokens, cachedTokens: 0, outputTokens },
      sessionId: SESSION,
    });
  });

  it.each([
    [
      "not-logged-in",
      { failure: "blocked", blockedBy: "login", reason: "Missing environment variable: `OPENAI_API_KEY`." },
    ],
    [
      "wrong-key",
      { failure: "blocked", blockedBy: "login", reason: expect.stringContaining("401 Unauthorized") },
    ],
    [
      "quota",
      {
        failure: "blocked",
        blockedBy: "quota",
        reason: "Quota exceeded. Check your plan and billing details.",
      },
    ],
    [
      "usage-limit",
      {
        failure: "blocked",
        blockedBy: "quota",
        reason: expect.stringContaining("try again at Jan 1st, 2099"),
      },
    ],
    [
      "rate-limited",
      { failure: "rate-limited", reason: "exceeded retry limit, last status: 429 Too Many Requests" },
    ],
    ["overloaded", { failure: "rate-limited", reason: expect.stringContaining("at capacity") }],
    [
      "context-too-long",
      {
        failure: "context-too-long",
        reason: expect.stringMatching(/^Your input exceeds the context window/),
      },
    ],
    [
      "unknown-model",
      { failure: "blocked", reason: expect.stringContaining("`no-such-model` does not exist") },
    ],
  ])("%s", (name, failed) => {
    expect(readTranscript(codex, name).report).toEqual({
      message: "",
      usage: {},
      sessionId: SESSION,
      failed,
    });
  });

  it("leaves an unknown option to the exit code", () => {
    expect(readTranscript(codex, "bad-flag")).toEqual({ shown: [], report: { message: "", usage: {} } });
  });

  it("names sandbox refusals that appear only in its log", () => {
    expect(readTranscript(codex, "refused").report.refused).toContain(
      'Codex was not allowed to change a file: its sandbox says: writing is blocked by read-only sandbox; allow it with "permissions: all" with "isolation: strict"',
    );
  });
});

const json = (value: unknown) => JSON.stringify(value);
const item = (type: string, more: object) => json({ type: "item.completed", item: { type, ...more } });
const ran = (command: string, status: string, output = "") =>
  item("command_execution", { command: `/bin/bash -lc '${command}'`, status, aggregated_output: output });
const refused = (line: string, ask?: Partial<Ask>) =>
  readOut(codex, [line], {}, { ...ASK, ...ask }).report.refused;

describe("other output of Codex", () => {
  it.each([
    [
      ran("echo no > /etc/x", "failed", "/bin/bash: line 1: /etc/x: Read-only file system\n"),
      "run echo no > /etc/x: its sandbox lets it write in the workspace alone",
    ],
    [ran("touch /x", "failed", "touch: /x: Operation not permitted"), "run touch /x: its sandbox lets it"],
    [ran("npm ci", "failed", "npm error code EAI_AGAIN"), "run npm ci: its sandbox has no network"],
    [ran("npm ci", "declined"), "run npm ci: its sandbox asks first"],
  ])("reports a refusal: %s", (line, words) => {
    expect(refused(line)).toEqual([expect.stringContaining(`Codex was not allowed to ${words}`)]);
    expect(refused(line)?.[0]).toMatch(/; allow it with "permissions: all" with "isolation: strict"$/);
    for (const ask of [{ access: "read" }, { permissions: "all" }, { tier: "strict" }] as const)
      expect(refused(line, ask)).toBeUndefined();
  });

  it.each([ran("npm test", "failed", "1 test failed"), ran("dmesg", "completed", "Read-only file system")])(
    "reports no refusal: %s",
    (line) => {
      expect(refused(line)).toBeUndefined();
    },
  );

  it("names commands that it rejects", () => {
    const log = `ERROR codex_core::tools::router: error=exec_command failed: CreateProcess { message: "Rejected(\\"\`/bin/bash -lc 'rm -rf /x'\` rejected: rm -f style commands are not permitted. Use a safer approach\\")" }`;
    expect(readOut(codex, [], { stderr: log }).report.refused).toEqual([
      'Codex was not allowed to run rm -rf /x: its sandbox says: rm -f style commands are not permitted. Use a safer approach; allow it with "permissions: all" with "isolation: strict"',
    ]);
  });

  it("is blocked when its sandbox cannot be nested", () => {
    const nested = ran("npm test", "failed", "bwrap: Can't mkdir /tmp/.git: Read-only file system\n");
    const { report } = readOut(codex, [nested]);
    expect(report.failed).toEqual({
      failure: "blocked",
      blockedBy: "permission",
      reason: expect.stringMatching(/use "isolation: strict".*\(bwrap: Can't mkdir/),
    });
    expect(report.refused).toBeUndefined();
    expect(readOut(codex, [nested, ran("npm test", "completed")]).report.failed).toBeUndefined();
  });

  it("ignores an error that it recovered from", () => {
    const lines = [
      json({ type: "error", message: "Reconnecting... 1/5 (429)" }),
      json({ type: "turn.completed", usage: {} }),
    ];
    expect(readOut(codex, lines)).toEqual({
      shown: ["[Reconnecting... 1/5 (429)]"],
      report: { message: "", usage: {} },
    });
  });

  it("does not resume a session that does not exist", () => {
    const stderr = "Error: thread/resume: thread/resume failed: no rollout found for thread id x";
    expect(readOut(codex, [], { exitCode: 1, stderr }).report).not.toHaveProperty("sessionId");
  });

  it("shows its tool use", () => {
    const lines = [
      item("reasoning", { text: "I think." }),
      item("file_change", { changes: [{ path: "a.ts" }, { path: "b.ts" }] }),
      item("web_search", { query: "how" }),
      json({ type: "item.started", item: { type: "mcp_tool_call", server: "docs", tool: "find" } }),
      item("error", { message: "Model metadata not found." }),
      json({ type: "item.started", item: { type: "command_execution", command: "bash -lc \"echo 'a'\"" } }),
      json({
        type: "item.started",
        item: { type: "command_execution", command: "/bin/zsh -lc 'echo '\\''a'\\'''" },
      }),
    ];
    expect(readOut(codex, lines).shown).toEqual([
      "I think.",
      "> edit a.ts b.ts",
      "> search how",
      "> find docs",
      "[Model metadata not found.]",
      "> shell \"echo 'a'\"",
      "> shell echo 'a'",
    ]);
  });
});

neverThrows(codex);
