// Parses the stream-json output of Gemini CLI: text chunks, tool calls and results, and final statistics.
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, isObject, type Json, jsonLines, known, textAt } from "../shared/read-json.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { toolInput } from "./tool-input.ts";

const MAX_CHARS = 65_536;
const MAX_TOOLS = 200;
const MAX_REFUSALS = 20;
const UNTRUSTED = /not running in a trusted directory/;

interface ToolUse {
  readonly tool: string;
  readonly on: string;
}

function toolUseOf(event: Json): ToolUse {
  const on = toolInput(at(event, "parameters"));
  return { tool: textAt(event, "tool_name"), on };
}

function refusal(use: ToolUse): string {
  if (use.tool === "run_shell_command") return refusedCommand("Gemini CLI", use.on);
  return refusedTool("Gemini CLI", use, "a rule in ~/.gemini/policies");
}

function usageOf(stats: unknown): Usage {
  const [total, inputTokens] = [countAt(stats, "total_tokens"), countAt(stats, "input_tokens")];
  const reported = countAt(stats, "output_tokens");
  // Thought tokens appear only in the total, and cost as much as output.
  const rest = total !== undefined && inputTokens !== undefined ? total - inputTokens : undefined;
  const outputTokens = reported !== undefined && rest !== undefined ? Math.max(reported, rest) : reported;
  return known({ inputTokens, outputTokens, cachedTokens: countAt(stats, "cached") });
}

/** The model with the most tokens: small ones only route and summarize. */
function modelOf(stats: unknown): string | undefined {
  const models = at(stats, "models");
  if (!isObject(models)) return undefined;
  const tokens = (name: string) => countAt(models, name, "total_tokens") ?? 0;
  return Object.keys(models).reduce<string | undefined>(
    (best, name) => (best === undefined || tokens(name) > tokens(best) ? name : best),
    undefined,
  );
}

function failureOf(result: Json | undefined, { stderr, now, exitCode }: Ended): Failed | undefined {
  if (UNTRUSTED.test(stderr))
    return {
      failure: "blocked",
      blockedBy: "permission",
      reason:
        "this folder is not trusted; set GEMINI_CLI_TRUST_WORKSPACE=true, or start `gemini` there and trust it",
    };
  if (result?.status !== "error") return undefined;
  const message = textAt(result, "error", "message") || `it ended with ${exitCode}`;
  return classify(message, now) ?? { failure: "crashed", reason: message };
}

export function geminiReader(): Reader {
  let [sessionId, model, message, pendingText] = ["", "", "", ""];
  let isNewTurn = true;
  let result: Json | undefined;
  const tools = new Map<string, ToolUse>();
  const refused = new Set<string>();

  /** Shows complete lines, and the rest when something else follows. */
  function shown(piece: string, all: boolean): Shown[] {
    const text = pendingText + piece;
    const end = all || text.length > MAX_CHARS ? text.length : text.lastIndexOf("\n") + 1;
    pendingText = text.slice(end);
    return end === 0 ? [] : [{ text: text.slice(0, end) }];
  }

  function onMessage(event: Json): Shown[] {
    const content = textAt(event, "content");
    if (event.role !== "assistant" || content === "") return [];
    message = (isNewTurn ? content : message + content).slice(-MAX_CHARS);
    isNewTurn = false;
    return shown(content, event.delta !== true);
  }

  function onToolUse(event: Json): Shown[] {
    const use = toolUseOf(event);
    if (tools.size < MAX_TOOLS) tools.set(textAt(event, "tool_id"), use);
    isNewTurn = true;
    return [...shown("", true), { tool: use.tool, text: use.on }];
  }

  function onToolResult(event: Json): Shown[] {
    const id = textAt(event, "tool_id");
    const use = tools.get(id);
    tools.delete(id);
    const wasRefused = textAt(event, "error", "type") === "policy_violation";
    if (use && wasRefused && refused.size < MAX_REFUSALS) refused.add(refusal(use));
    return [];
  }

  function read(event: Json): Shown[] {
    switch (event.type) {
      case "init":
        sessionId = textAt(event, "session_id");
        model = textAt(event, "model");
        return [];
      case "message":
        return onMessage(event);
      case "tool_use":
        return onToolUse(event);
      case "tool_result":
        return onToolResult(event);
      case "error":
        return [...shown("", true), { text: textAt(event, "message") }];
      case "result":
        result = event;
        return shown("", true);
      default:
        return [];
    }
  }

  function report(ended: Ended): Report {
    return known({
      message,
      usage: usageOf(result?.stats),
      model: modelOf(result?.stats) ?? (model || undefined),
      sessionId: sessionId || undefined,
      failed: failureOf(result, ended),
      refused: [...refused],
    }) as Report;
  }

  return {
    line: jsonLines(read),
    end: report,
  };
}
