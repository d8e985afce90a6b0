// Parses the stream-json output of Gemini CLI: text chunks, tool calls and results, and final statistics.

import { dropUndefined } from "#options/option";
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, isObject, type Json, jsonLines, textAt } from "../shared/read-json.ts";
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
  return dropUndefined({ inputTokens, outputTokens, cachedTokens: countAt(stats, "cached") });
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

/** What was read so far. */
interface GeminiOutput {
  session: string;
  model: string;
  message: string;
  /** Text after the last line break, not shown yet. */
  pendingText: string;
  isNewTurn: boolean;
  result: Json | undefined;
  readonly tools: Map<string, ToolUse>;
  readonly refused: Set<string>;
}

/** Shows complete lines, and the rest when something else follows. */
function show(output: GeminiOutput, piece = "", all = true): Shown[] {
  const text = output.pendingText + piece;
  const end = all || text.length > MAX_CHARS ? text.length : text.lastIndexOf("\n") + 1;
  output.pendingText = text.slice(end);
  return end === 0 ? [] : [{ text: text.slice(0, end) }];
}

function onMessage(output: GeminiOutput, event: Json): Shown[] {
  const content = textAt(event, "content");
  if (event.role !== "assistant" || content === "") return [];
  output.message = (output.isNewTurn ? content : output.message + content).slice(-MAX_CHARS);
  output.isNewTurn = false;
  return show(output, content, event.delta !== true);
}

function onToolUse(output: GeminiOutput, event: Json): Shown[] {
  const use = toolUseOf(event);
  if (output.tools.size < MAX_TOOLS) output.tools.set(textAt(event, "tool_id"), use);
  output.isNewTurn = true;
  return [...show(output), { tool: use.tool, text: use.on }];
}

function onToolResult({ tools, refused }: GeminiOutput, event: Json): Shown[] {
  const id = textAt(event, "tool_id");
  const use = tools.get(id);
  tools.delete(id);
  const wasRefused = textAt(event, "error", "type") === "policy_violation";
  if (use && wasRefused && refused.size < MAX_REFUSALS) refused.add(refusal(use));
  return [];
}

function onEvent(output: GeminiOutput, event: Json): Shown[] {
  switch (event.type) {
    case "init":
      output.session = textAt(event, "session_id");
      output.model = textAt(event, "model");
      return [];
    case "message":
      return onMessage(output, event);
    case "tool_use":
      return onToolUse(output, event);
    case "tool_result":
      return onToolResult(output, event);
    case "error":
      return [...show(output), { text: textAt(event, "message") }];
    case "result":
      output.result = event;
      return show(output);
    default:
      return [];
  }
}

function reportOf({ session, model, message, result, refused }: GeminiOutput, ended: Ended): Report {
  return dropUndefined({
    message,
    usage: usageOf(result?.stats),
    model: modelOf(result?.stats) ?? (model || undefined),
    sessionId: session || undefined,
    failed: failureOf(result, ended),
    refused: [...refused],
  }) as Report;
}

export function geminiReader(): Reader {
  const output: GeminiOutput = {
    ...{ session: "", model: "", message: "", pendingText: "", isNewTurn: true, result: undefined },
    ...{ tools: new Map(), refused: new Set() },
  };
  return {
    line: jsonLines((event) => onEvent(output, event)),
    end: (ended) => reportOf(output, ended),
  };
}
