// Gemini CLI: arguments, and parsing of recorded output.
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { gemini } from "../../../../src/agents/cli/gemini.ts";
import type { Ask } from "../../../../src/agents/shared/driver.ts";
import { folders } from "../../../support/folders.ts";
import { garbledLines } from "../../../support/garbled.ts";
import { play, playTranscript } from "../../../support/play-transcript.ts";

const SESSION = "00000000-0000-4000-8000-000000000001";
const MODEL = "gemini-2.5-flash";

function ask(more: Partial<Ask> = {}): Ask {
  const { dir, files } = folders();
  const rest = { permissions: "auto", commands: [], access: "write", tier: "basic", root: false } as const;
  return { ...rest, promptFile: path.join(files, "prompt.md"), folder: files, reports: files, dir, ...more };
}

function rulesOf(request: Ask): string {
  const { args } = gemini.call(request);
  return fs.readFileSync(args[args.indexOf("--policy") + 1] ?? "", "utf8");
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the arguments", () => {
  test("name model and session, but never the prompt", () => {
    const { args } = gemini.call(ask({ permissions: "all", model: MODEL, session: "s-1" }));
    const named = ["--output-format", "stream-json", "--model", MODEL, "--resume", "s-1"];
    expect(args).toEqual([...named, "--approval-mode", "yolo"]);
    expect(gemini.stdin).toBe(true);
  });

  test("allow reading the folder that the prompt names", () => {
    expect(gemini.call(ask({ told: "/state/told" })).args.join(" ")).toContain(
      "--include-directories /state/told",
    );
  });

  test("allow edits, and the gates' commands through a policy file", () => {
    const request = ask({ commands: ['npm test -- --grep "a, b"', "make check > out.txt"] });
    expect(gemini.call(request).args).toContain("auto_edit");
    const rules = rulesOf(request);
    expect(rules).toContain('commandPrefix = "npm test -- --grep \\"a, b\\""');
    expect(rules).toContain(
      'commandPrefix = "make check"\ndecision = "allow"\npriority = 2\nallowRedirection = true',
    );
    expect(rules.match(/allowRedirection/g)).toHaveLength(1);
  });

  test.each(["write", "read"] as const)(
    "deny plan mode, because leaving it allows everything: %s",
    (access) => {
      const rules = rulesOf(ask({ access }));
      expect(rules).toContain(
        'toolName = ["enter_plan_mode","exit_plan_mode"]\ndecision = "deny"\npriority = 999',
      );
    },
  );

  test("allow no changes with read-only access", () => {
    const request = ask({ access: "read", permissions: "all", commands: ["npm test"] });
    expect(gemini.call(request).args).toEqual(expect.arrayContaining(["--approval-mode", "default"]));
    expect(rulesOf(request)).not.toContain("run_shell_command");
  });

  test("include the user's own policies", () => {
    const home = folders().dir;
    vi.stubEnv("GEMINI_CLI_HOME", home);
    expect(gemini.call(ask()).args.filter((arg) => arg === "--policy")).toHaveLength(1);
    fs.mkdirSync(path.join(home, ".gemini/policies"), { recursive: true });
    expect(gemini.call(ask()).args.at(-1)).toBe(path.join(home, ".gemini/policies"));
  });

  test("trust the folder, unless the variable says otherwise", () => {
    vi.stubEnv("GEMINI_CLI_TRUST_WORKSPACE", undefined);
    expect(gemini.call(ask()).env).toEqual({ GEMINI_CLI_TRUST_WORKSPACE: "true" });
    vi.stubEnv("GEMINI_CLI_TRUST_WORKSPACE", "false");
    expect(gemini.call(ask()).env).toEqual({ GEMINI_CLI_TRUST_WORKSPACE: "false" });
  });
});

describe("the recorded output", () => {
  test("of a fix yields text, tools, usage with cached tokens, model and session", () => {
    const { shown, report } = playTranscript(gemini, "fixes");
    expect(shown).toEqual([
      { text: "I will fix it." },
      { tool: "run_shell_command", text: "echo fixed > a.txt" },
      { text: "It is fixed." },
    ]);
    expect(report).toEqual({
      message: "It is fixed.",
      usage: { inputTokens: 2200, outputTokens: 50, cachedTokens: 1000 },
      model: MODEL,
      sessionId: SESSION,
      refused: [],
    });
  });

  test("of a resumed session yields the same id and the usage of this call", () => {
    const { report } = playTranscript(gemini, "resumed");
    expect(report).toMatchObject({ sessionId: SESSION, usage: { inputTokens: 1000, outputTokens: 20 } });
  });

  test("of a refusal names the setting that would allow it", () => {
    const { report } = playTranscript(gemini, "ruled");
    expect(report.refused).toEqual([
      'Gemini CLI was not allowed to run: npm test; allow it with "allow: ["npm test"]" or "permissions: all" with "isolation: strict"',
    ]);
    expect(report.failed).toBeUndefined();
  });

  test.each([
    ["rate-limited", { failure: "rate-limited", retryAfterMs: 2_000 }, /exceeded your current quota/],
    ["overloaded", { failure: "rate-limited" }, /The model is overloaded/],
    ["quota", { failure: "blocked", blockedBy: "quota" }, /exhausted your daily quota/],
    ["wrong-key", { failure: "blocked", blockedBy: "login" }, /API key not valid/],
    ["context-too-long", { failure: "context-too-long" }, /exceeds the maximum number of tokens/],
    ["unknown-model", { failure: "blocked" }, /models\/no-such-model is not found/],
  ])("%s", (scenario, kind, words) => {
    const { reason, ...failed } = playTranscript(gemini, scenario).report.failed ?? { reason: "" };
    expect(failed).toEqual(kind);
    expect(reason).toMatch(words);
  });

  test("of an untrusted folder says how to trust it", () => {
    const stderr = "\u001b[31mGemini CLI is not running in a trusted directory. To proceed, …\u001b[0m";
    const { failed } = play(gemini, { exitCode: 55, stdout: "", stderr }).report;
    expect(failed).toMatchObject({ failure: "blocked", blockedBy: "permission" });
    expect(failed?.reason).toContain("GEMINI_CLI_TRUST_WORKSPACE=true");
  });

  test("in chunks is shown in whole lines and joined to one message", () => {
    const piece = (content: string) =>
      JSON.stringify({ type: "message", role: "assistant", content, delta: true });
    const end = JSON.stringify({ type: "result", status: "success" });
    const stdout = [piece("One li"), piece("ne.\nTwo"), piece(" lines."), end].join("\n");
    const { shown, report } = play(gemini, { exitCode: 0, stdout, stderr: "" });
    expect(shown).toEqual([{ text: "One line.\n" }, { text: "Two lines." }]);
    expect(report.message).toBe("One line.\nTwo lines.");
  });

  test("counts thoughts as output and reports the main model", () => {
    const models = { "gemini-flash-lite": { total_tokens: 10 }, "gemini-pro": { total_tokens: 900 } };
    const stats = { total_tokens: 1000, input_tokens: 700, output_tokens: 100, cached: 0, models };
    const stdout = JSON.stringify({ type: "result", status: "success", stats });
    const { report } = play(gemini, { exitCode: 0, stdout, stderr: "" });
    expect(report.usage).toEqual({ inputTokens: 700, outputTokens: 300, cachedTokens: 0 });
    expect(report.model).toBe("gemini-pro");
  });

  test("ignores garbage", () => {
    const types = ["init", "message", "tool_use", "tool_result", "error", "result"];
    const keys = [
      "content",
      "role",
      "delta",
      "stats",
      "models",
      "error",
      "parameters",
      "tool_id",
      "status",
      "message",
    ];
    fc.assert(
      fc.property(garbledLines(types, keys), fc.string(), (lines, stderr) => {
        const { report } = play(gemini, { exitCode: 1, stdout: lines.join("\n"), stderr });
        expect(typeof report.message).toBe("string");
      }),
    );
  });
});
