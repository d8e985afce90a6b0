// Qwen Code: arguments, and parsing of recorded output.
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { qwen } from "../../../../src/agents/cli/qwen.ts";
import type { Ask } from "../../../../src/agents/shared/driver.ts";
import { folders } from "../../../support/folders.ts";
import { garbledLines } from "../../../support/garbled.ts";
import { play, playTranscript } from "../../../support/play-transcript.ts";

const SESSION = "00000000-0000-4000-8000-000000000001";

function ask(more: Partial<Ask> = {}): Ask {
  const { dir, files } = folders();
  const rest = { permissions: "auto", commands: [], access: "write", tier: "basic", root: false } as const;
  return { ...rest, promptFile: path.join(files, "prompt.md"), folder: files, reports: files, dir, ...more };
}

const argsOf = (more: Partial<Ask>) => qwen.call(ask(more)).args.slice(2);

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the arguments", () => {
  test("name model and session, but never the prompt", () => {
    const { args } = qwen.call(ask({ permissions: "all", model: "qwen3-coder-plus", session: "s-1" }));
    const named = ["--output-format", "stream-json", "--model", "qwen3-coder-plus", "--resume", "s-1"];
    expect(args).toEqual([...named, "--approval-mode", "yolo"]);
    expect(qwen.stdin).toBe(true);
  });

  test("allow reading the folder that the prompt names", () => {
    expect(qwen.call(ask({ told: "/state/told" })).args.join(" ")).toContain(
      "--include-directories /state/told",
    );
  });

  test("allow edits and the gates' commands", () => {
    expect(argsOf({ commands: ["npm test > out.txt && npm run lint"] })).toEqual([
      ...["--approval-mode", "auto-edit"],
      ...["--allowed-tools", "run_shell_command(npm test)"],
      ...["--allowed-tools", "run_shell_command(npm run lint)"],
    ]);
  });

  test("allow no changes with read-only access", () => {
    const request = { access: "read", permissions: "all", commands: ["npm test"] } as const;
    expect(argsOf(request)).toEqual(["--approval-mode", "default"]);
  });

  test("disable its retries, unless system defaults exist", () => {
    const { env = {} } = qwen.call(ask());
    const file = env.QWEN_CODE_SYSTEM_DEFAULTS_PATH ?? "";
    expect(JSON.parse(fs.readFileSync(file, "utf8")).model).toEqual({ generationConfig: { maxRetries: 0 } });
    vi.stubEnv("QWEN_CODE_SYSTEM_DEFAULTS_PATH", "/their/defaults.json");
    expect(qwen.call(ask()).env).toEqual({});
  });
});

describe("the recorded output", () => {
  test("of a fix yields text, tools, usage with cached tokens, model and session", () => {
    const { shown, report } = playTranscript(qwen, "fixes");
    expect(shown).toEqual([
      { text: "I will fix it." },
      { tool: "run_shell_command", text: "echo fixed > a.txt" },
      { text: "It is fixed." },
    ]);
    expect(report).toEqual({
      message: "It is fixed.",
      usage: { inputTokens: 2200, outputTokens: 50, cachedTokens: 1000 },
      model: "qwen3-coder-plus",
      sessionId: SESSION,
    });
  });

  test("of a resumed session yields the usage of this call, not of the whole session", () => {
    const { report } = playTranscript(qwen, "resumed");
    expect(report).toMatchObject({ sessionId: SESSION, message: "I do remember." });
    expect(report.usage).toEqual({ inputTokens: 1000, outputTokens: 20, cachedTokens: 0 });
  });

  test("of a refusal names the setting that would allow it", () => {
    expect(playTranscript(qwen, "refused").report.refused).toEqual([
      'Qwen Code was not allowed to run: echo fixed > a.txt; allow it with "allow: ["echo fixed > a.txt"]" or "permissions: all" with "isolation: strict"',
    ]);
  });

  test.each([
    ["rate-limited", { failure: "rate-limited", retryAfterMs: 7_400 }, /Rate limit reached/],
    ["overloaded", { failure: "rate-limited" }, /servers are currently overloaded/],
    ["wrong-key", { failure: "blocked", blockedBy: "login" }, /Incorrect API key/],
    ["not-logged-in", { failure: "blocked", blockedBy: "login" }, /No auth type is selected/],
    ["context-too-long", { failure: "context-too-long" }, /exceeds the context window/],
    ["unknown-model", { failure: "blocked" }, /does not exist/],
  ])("%s, although it reports success", (scenario, kind, words) => {
    const { reason, ...failed } = playTranscript(qwen, scenario).report.failed ?? { reason: "" };
    expect(failed).toEqual(kind);
    expect(reason).toMatch(words);
  });

  test("does not take text about an error for an error", () => {
    const content = [{ type: "text", text: "[API Error: 429 is what the log says]" }];
    const stdout = JSON.stringify({ type: "assistant", message: { content, usage: { output_tokens: 9 } } });
    expect(play(qwen, { exitCode: 0, stdout, stderr: "" }).report.failed).toBeUndefined();
  });

  test("ignores garbage", () => {
    const types = ["system", "assistant", "user", "result"];
    const keys = [
      "message",
      "content",
      "usage",
      "error",
      "is_error",
      "permission_denials",
      "tool_input",
      "model",
      "type",
      "text",
    ];
    fc.assert(
      fc.property(garbledLines(types, keys), fc.string(), (lines, stderr) => {
        const { report } = play(qwen, { exitCode: 1, stdout: lines.join("\n"), stderr });
        expect(typeof report.message).toBe("string");
      }),
    );
  });
});
