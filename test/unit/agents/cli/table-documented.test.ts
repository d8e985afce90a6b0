// Parsing of output as documented for Cursor agent, Amp, goose and aider.
import { describe, expect, it } from "vitest";
import * as table from "#agents/cli/table";
import type { Driver, Ended } from "#agents/shared/driver";
import { readOut } from "../../../support/transcripts.ts";

const TABLE: readonly Driver[] = Object.values(table);

const driver = (name: string) => TABLE.find((one) => one.name === name) as Driver;

function read(name: string, lines: readonly (string | object)[], end: Partial<Ended> = {}) {
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  return readOut(driver(name), texts, end);
}

const text = (words: string) => ({ type: "text", text: words });

describe("Cursor agent", () => {
  const assistant = (words: string) => ({
    type: "assistant",
    message: { role: "assistant", content: [text(words)] },
    session_id: "c-1",
  });
  const shell = (subtype: string, inner: object) => ({
    type: "tool_call",
    subtype,
    call_id: "1",
    tool_call: { shellToolCall: { args: { command: "npm test" }, ...inner } },
  });
  const done = {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "I look.Done.",
    session_id: "c-1",
    usage: { inputTokens: 120, outputTokens: 45, cacheReadTokens: 10, cacheWriteTokens: 2 },
  };

  it("reports text, tools and final usage", () => {
    const { shown, report } = read("cursor", [
      { type: "system", subtype: "init", session_id: "c-1", model: "gpt-5", permissionMode: "default" },
      assistant("I look."),
      shell("started", {}),
      shell("completed", { result: { success: { exitCode: 0 } } }),
      assistant("Done."),
      done,
    ]);
    expect(shown).toEqual(["I look.", "> shell npm test", "Done."]);
    expect(report).toEqual({
      message: "Done.",
      usage: { inputTokens: 132, outputTokens: 45, cachedTokens: 10 },
      model: "gpt-5",
      sessionId: "c-1",
    });
  });

  it("reports a refused command", () => {
    const { report } = read("cursor", [
      shell("completed", { result: { rejected: { command: "npm test" } } }),
      done,
    ]);
    expect(report.refused).toEqual([
      'Cursor agent was not allowed to run: npm test; allow it with "allow: ["npm test"]" or "permissions: all" with "isolation: strict"',
    ]);
  });

  it.each([
    ["Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY", "login"],
    ["You've hit your usage limit for this month", "quota"],
  ])("classifies an early error on standard error: %s", (stderr, blockedBy) => {
    expect(read("cursor", [], { exitCode: 1, stderr }).report.failed).toMatchObject({ blockedBy });
  });
});

describe("Amp", () => {
  const assistant = (content: object[], usage?: object) => ({
    type: "assistant",
    message: { type: "message", role: "assistant", content, usage },
    session_id: "T-1",
  });

  it("reports text, tools and usage per message", () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 85,
      output_tokens: 7,
    };
    const { shown, report } = read("amp", [
      { type: "system", subtype: "init", session_id: "T-1", tools: ["Bash"], mcp_servers: [] },
      assistant(
        [text("I look."), { type: "tool_use", id: "1", name: "Bash", input: { cmd: "npm test" } }],
        usage,
      ),
      { type: "user", message: { role: "user", content: [{ type: "tool_result", content: "ok" }] } },
      assistant([text("Done.")], usage),
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: "Done.",
        session_id: "T-1",
        num_turns: 2,
      },
    ]);
    expect(shown).toEqual(["I look.", "> Bash npm test", "Done."]);
    expect(report).toEqual({
      message: "Done.",
      usage: { inputTokens: 200, outputTokens: 14, cachedTokens: 170 },
      sessionId: "T-1",
    });
  });

  it("reports its own error message", () => {
    const result = { type: "result", subtype: "error_during_execution", is_error: true, session_id: "T-1" };
    const failed = (error: string) => read("amp", [{ ...result, error }]).report.failed;
    expect(failed("Out of credits")).toMatchObject({ failure: "blocked", blockedBy: "quota" });
    expect(failed("Something broke")).toEqual({ failure: "crashed", reason: "Something broke" });
  });
});

describe("goose", () => {
  const message = (id: string, ...content: object[]) => ({
    type: "message",
    message: { id, role: "assistant", created: 0, content, metadata: {} },
  });
  const tool = {
    type: "toolRequest",
    id: "1",
    toolCall: { status: "success", value: { name: "developer__shell", arguments: { command: "npm test" } } },
  };

  it("joins chunks and reports tools", () => {
    const { shown, report } = read("goose", [
      message("a", text("I look.")),
      message("a", tool),
      message("b", text("All ")),
      message("b", text("good.")),
      { type: "complete", total_tokens: 1234 },
    ]);
    expect(shown).toEqual(["I look.", "> developer__shell npm test", "All ", "good."]);
    expect(report).toEqual({ message: "All good.", usage: {} });
  });

  it.each([
    ["Authentication error: wrong key", { failure: "blocked", blockedBy: "login" }],
    ["Rate limit exceeded: slow down, retry after 5s", { failure: "rate-limited", retryAfterMs: 5000 }],
    ["Context length exceeded: 9 > 8", { failure: "context-too-long" }],
    ["Server error: no", { failure: "crashed" }],
  ])("classifies %j in place of the model's text", (error, expected) => {
    const words = `Ran into this error: ${error}.\n\nPlease retry if you think this is a transient or recoverable error.`;
    expect(read("goose", [message("a", text(words))]).report.failed).toMatchObject(expected);
  });

  it("does not classify text about errors as an error", () => {
    const words = "The log has: Ran into this error: Authentication error: wrong key.";
    expect(read("goose", [message("a", text(words))]).report.failed).toBeUndefined();
  });

  it("reports error events and exhausted credits", () => {
    const spent = { type: "systemNotification", notificationType: "creditsExhausted", msg: "Please top up" };
    expect(read("goose", [message("a", spent)]).report.failed).toMatchObject({ blockedBy: "quota" });
    expect(read("goose", [{ type: "error", error: "Network error: gone" }]).report.failed).toEqual({
      failure: "crashed",
      reason: "Network error: gone",
    });
  });
});

describe("aider", () => {
  const start = [
    "────────────────────────",
    "Aider v0.86.2",
    "Main model: openai/gpt-5 with diff edit format",
    "Weak model: openai/gpt-5-mini",
    "Git repo: .git with 12 files",
    "Repo-map: using 4096 tokens, auto refresh",
    "",
  ];

  it("reports answers, edits and usage after each answer", () => {
    const { shown, report } = read("aider", [
      ...start,
      "I need src/a.js.",
      "",
      "Tokens: 1.2k sent, 34 received. Cost: $0.01 message, $0.01 session.",
      "Added src/a.js to the chat",
      "The sum was wrong.",
      "",
      "Tokens: 12k sent, 1.5k cache write, 500 cache hit, 100 received.",
      "Cost: $0.02 message, $0.03 session.",
      "Applied edit to src/a.js",
    ]);
    expect(shown).toEqual(["I need src/a.js.", "The sum was wrong.", "> edit src/a.js"]);
    expect(report).toEqual({
      message: "The sum was wrong.\n\n",
      usage: { inputTokens: 13_200, outputTokens: 134, cachedTokens: 500, costUsd: 0.03 },
      model: "openai/gpt-5",
    });
  });

  it.each([
    [
      "litellm.AuthenticationError: OpenAIException - Incorrect API key",
      { failure: "blocked", blockedBy: "login" },
    ],
    [
      "The API provider is not able to authenticate you. Check your API key.",
      { failure: "blocked", blockedBy: "login" },
    ],
    [
      "litellm.RateLimitError: slow down, try again in 20s",
      { failure: "rate-limited", retryAfterMs: 20_000 },
    ],
    [
      "The API provider has rate limited you. Try again later or check your quotas.",
      { failure: "rate-limited" },
    ],
    ["The API provider's servers are down or overloaded.", { failure: "rate-limited" }],
    [
      "Insufficient credits with the API provider. Please add credits.",
      { failure: "blocked", blockedBy: "quota" },
    ],
    ["Model openai/gpt-5 has hit a token limit!", { failure: "context-too-long" }],
    ["No LLM model was specified and no API keys were provided.", { failure: "blocked", blockedBy: "login" }],
    ["litellm.BadRequestError: no", { failure: "crashed" }],
  ])("classifies the error although it exits with 0: %s", (line, expected) => {
    expect(read("aider", [...start, line]).report.failed).toMatchObject(expected);
  });

  it("ignores an error that a later answer recovered from", () => {
    const tries = ["litellm.RateLimitError: slow down", "Retrying in 0.2 seconds...", "Done."];
    const counts = "Tokens: 10 sent, 3 received.";
    expect(read("aider", [...start, ...tries, counts]).report.failed).toBeUndefined();
  });
});
