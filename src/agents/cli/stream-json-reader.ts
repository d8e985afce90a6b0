// Parses stream-json, the format of Claude Code that Qwen Code, Amp and Cursor print too. A dialect names the differences.

import { dropUndefined } from "#options/option";
import { sumUsage } from "#rules/usage";
import type { Usage } from "#spec/agent";
import { oneLine } from "#text/plain-text";
import { classify } from "../shared/classify-failure.ts";
import type { Ask, Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, isObject, type Json, listAt, parseObject, sum, textAt } from "../shared/read-json.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { validWait } from "../shared/reset-time.ts";
import { latestLines, pushBounded } from "./bounded.ts";
import { toolInput } from "./tool-input.ts";

const MAX_ERRORS = 1_000;
/** The model of messages that Claude Code writes itself. */
const SYNTHETIC = "<synthetic>";

/** A tool that the CLI was not allowed to use, with the error that the model was given. */
export interface Denial {
  readonly tool: string;
  readonly on: string;
  readonly error: string;
}

/** What differs between the CLIs that print stream-json. */
export interface Dialect {
  /** The events that name the model. */
  readonly model: "system" | "messages" | "both";
  /** The final message: the field of the result, or the text of the last message. Each falls back to the other. */
  readonly message: "result" | "text";
  /** Where the usage of this call is; `either` sums the messages when the result has none. */
  readonly usage: "result" | "messages" | "either";
  /** Whether the count of input tokens includes cached ones. */
  readonly inputIncludesCached: boolean;
  /** Describes a refusal, with the setting that would allow it. */
  readonly refusal: (denial: Denial) => string;
  /** Finds a failure that the result does not report. */
  readonly failure?: (output: StreamJson, ended: Ended) => Failed | undefined;
}

/** What was read so far. */
export interface StreamJson {
  session: string;
  model: string;
  /** Text of the last message that is not of a subagent. */
  text: string;
  /** Output tokens of the last message. */
  outputTokens: number;
  /** Sum over all messages. */
  usage: Usage;
  result: Json | undefined;
  /** When the rate limit resets, and how long the service asked to wait. */
  resetsAt: number | undefined;
  waitMs: number | undefined;
  /** Errors of tools, by call id. */
  readonly toolErrors: Map<string, string>;
  readonly refused: string[];
  /** The latest lines that are not JSON. */
  readonly plainLines: ReturnType<typeof latestLines>;
}

function usageIn(usage: unknown, { inputIncludesCached }: Dialect): Usage {
  const cached = countAt(usage, "cache_read_input_tokens") ?? countAt(usage, "cacheReadTokens");
  const written = countAt(usage, "cache_creation_input_tokens") ?? countAt(usage, "cacheWriteTokens");
  const input = countAt(usage, "input_tokens") ?? countAt(usage, "inputTokens");
  return dropUndefined({
    inputTokens: inputIncludesCached ? input : sum(input, cached, written),
    outputTokens: countAt(usage, "output_tokens") ?? countAt(usage, "outputTokens"),
    cachedTokens: cached,
  });
}

function showBlock(block: unknown): Shown[] {
  const type = textAt(block, "type");
  if (type === "tool_use") return [{ tool: textAt(block, "name"), text: toolInput(at(block, "input")) }];
  const text = type === "text" ? textAt(block, "text") : "";
  return text.trim() === "" ? [] : [{ text }];
}

function onAssistant(output: StreamJson, event: Json, dialect: Dialect): Shown[] {
  const shown = listAt(event, "message", "content").flatMap(showBlock);
  const texts = shown.filter(({ tool }) => tool === undefined).map(({ text }) => text);
  if (texts.length > 0 && textAt(event, "parent_tool_use_id") === "") output.text = texts.join("\n");
  const model = textAt(event, "message", "model");
  if (dialect.model !== "system" && model !== "" && model !== SYNTHETIC) output.model = model;
  const usage = usageIn(at(event, "message", "usage"), dialect);
  output.usage = sumUsage([output.usage, usage]);
  output.outputTokens = usage.outputTokens ?? 0;
  return shown;
}

/** Keeps the errors of tools: they tell why a tool was denied. */
function onUser(output: StreamJson, event: Json): Shown[] {
  for (const block of listAt(event, "message", "content"))
    if (at(block, "is_error") === true && output.toolErrors.size < MAX_ERRORS)
      output.toolErrors.set(textAt(block, "tool_use_id"), oneLine(textAt(block, "content"), 500));
  return [];
}

function onSystem(output: StreamJson, event: Json, dialect: Dialect): Shown[] {
  if (textAt(event, "subtype") !== "api_retry") {
    if (dialect.model !== "messages") output.model = textAt(event, "model") || output.model;
    return [];
  }
  const delay = countAt(event, "retry_delay_ms") ?? 0;
  // Its own backoff has jitter; whole seconds are a Retry-After of the service.
  output.waitMs = delay > 0 && delay % 1_000 === 0 ? delay : undefined;
  const status = countAt(event, "error_status") ?? "";
  return [{ text: `[waits ${(delay / 1_000).toFixed(1)} s: ${textAt(event, "error")} ${status}]` }];
}

/** Cursor reports tools in events of their own: `{"shellToolCall": {"args": …, "result": {"success": …}}}`. */
function onToolCall(output: StreamJson, event: Json, dialect: Dialect): Shown[] {
  const call = at(event, "tool_call");
  const [key, inner] = Object.entries(isObject(call) ? call : {})[0] ?? ["", undefined];
  const [tool, args, rejected] = [
    key.replace(/ToolCall$/, ""),
    at(inner, "args"),
    at(inner, "result", "rejected"),
  ];
  if (textAt(event, "subtype") === "started") return [{ tool, text: toolInput(args) }];
  if (rejected === undefined) return [];
  const on = toolInput(isObject(args) ? args : rejected);
  pushBounded(output.refused, dialect.refusal({ tool, on, error: "" }));
  return [];
}

function onEvent(output: StreamJson, event: Json, dialect: Dialect): readonly Shown[] {
  output.session = textAt(event, "session_id") || output.session;
  switch (event.type) {
    case "system":
      return onSystem(output, event, dialect);
    case "assistant":
      return onAssistant(output, event, dialect);
    case "user":
      return onUser(output, event);
    case "tool_call":
      return onToolCall(output, event, dialect);
    case "rate_limit_event":
      if (textAt(event, "rate_limit_info", "status") === "rejected")
        output.resetsAt = countAt(event, "rate_limit_info", "resetsAt");
      return [];
    case "result":
      output.result = event;
      return [];
    default:
      return [];
  }
}

/** A reset time reported by the service beats one parsed from text. */
function withWait({ resetsAt, waitMs }: StreamJson, failed: Failed, now: Date): Failed {
  const reset = resetsAt === undefined ? undefined : validWait(resetsAt * 1_000 - now.getTime());
  if (reset !== undefined && (failed.blockedBy === "quota" || failed.failure === "rate-limited"))
    return { failure: "rate-limited", reason: failed.reason, retryAfterMs: reset };
  if (failed.failure !== "rate-limited" || waitMs === undefined) return failed;
  return { retryAfterMs: waitMs, ...failed };
}

function errorIn(result: Json): string {
  const errors = listAt(result, "errors").filter((error) => typeof error === "string");
  const message = textAt(result, "error") || textAt(result, "error", "message") || textAt(result, "result");
  return message || errors.join("; ") || textAt(result, "subtype");
}

function failureOf(output: StreamJson, ended: Ended): Failed | undefined {
  const { result, plainLines } = output;
  if (result === undefined)
    return ended.exitCode === 0 ? undefined : classify(`${plainLines.text()}\n${ended.stderr}`, ended.now);
  if (at(result, "is_error") !== true) return undefined;
  const reason = errorIn(result) || "it ended with an error";
  return withWait(output, classify(reason, ended.now) ?? { failure: "crashed", reason }, ended.now);
}

function usageOf({ result, usage }: StreamJson, dialect: Dialect): Usage {
  if (dialect.usage === "messages") return usage;
  const total = usageIn(at(result, "usage"), dialect);
  const tokens = dialect.usage === "either" && Object.keys(total).length === 0 ? usage : total;
  // A cost of 0 means an unknown price.
  return dropUndefined({ ...tokens, costUsd: countAt(result, "total_cost_usd") || undefined });
}

function refusalsOf({ result, toolErrors, refused }: StreamJson, dialect: Dialect): string[] {
  const denials = listAt(result, "permission_denials").map((denial) =>
    dialect.refusal({
      tool: textAt(denial, "tool_name"),
      on: toolInput(at(denial, "tool_input")),
      error: toolErrors.get(textAt(denial, "tool_use_id")) ?? "",
    }),
  );
  return [...new Set([...refused, ...denials])];
}

/** With read-only access, refusals are intended and not reported. */
export function streamJsonReader(dialect: Dialect, ask?: Ask): Reader {
  const output: StreamJson = {
    ...{ session: "", model: "", text: "", outputTokens: 0, usage: {}, result: undefined },
    ...{ resetsAt: undefined, waitMs: undefined },
    ...{ toolErrors: new Map(), refused: [], plainLines: latestLines() },
  };
  return {
    line: (line) => {
      const event = parseObject(line);
      if (event) return onEvent(output, event, dialect);
      output.plainLines.add(line);
      return [];
    },
    end: (ended): Report => {
      const failed = dialect.failure?.(output, ended) ?? failureOf(output, ended);
      // Do not resume a session that does not exist.
      const isLost = /no conversation found/i.test(failed?.reason ?? "");
      const refused = ask?.access === "read" ? [] : refusalsOf(output, dialect);
      const result = textAt(output.result, "result");
      return {
        message: dialect.message === "result" ? result || output.text : output.text || result,
        usage: usageOf(output, dialect),
        ...(output.model !== "" && { model: output.model }),
        ...(output.session !== "" && !isLost && { sessionId: output.session }),
        ...(failed && { failed }),
        ...(refused.length > 0 && { refused }),
      };
    },
  };
}

/** Amp and Cursor. The result of Cursor concatenates all messages. Cursor has other names for the same counts. */
export function streamJson(title: string): Reader {
  return streamJsonReader({
    model: "system",
    message: "text",
    usage: "either",
    inputIncludesCached: false,
    refusal: ({ tool, on }) =>
      tool === "shell"
        ? refusedCommand(title, on)
        : refusedTool(title, { tool, on }, "permissions in .cursor/cli.json"),
  });
}
