// Parses stream-json as Amp and Cursor print it, in the format of Claude Code.

import { sumUsage } from "#rules/usage";
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import {
  at,
  countAt,
  isObject,
  type Json,
  known,
  listAt,
  parseObject,
  sum,
  textAt,
} from "../shared/read-json.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { latestLines, pushBounded } from "./bounded.ts";
import { toolInput } from "./tool-input.ts";

/** Amp counts cached input separately, as Anthropic does; Cursor has other names for the same counts. */
function usageIn(usage: unknown): Usage {
  const cached = countAt(usage, "cache_read_input_tokens") ?? countAt(usage, "cacheReadTokens");
  const written = countAt(usage, "cache_creation_input_tokens") ?? countAt(usage, "cacheWriteTokens");
  const input = countAt(usage, "input_tokens") ?? countAt(usage, "inputTokens");
  return known({
    inputTokens: sum(input, cached, written),
    outputTokens: countAt(usage, "output_tokens") ?? countAt(usage, "outputTokens"),
    cachedTokens: cached,
  });
}

/** Parses Cursor's tool calls: `{"shellToolCall": {"args": …, "result": {"success": …}}}`. */
function cursorTool(event: Json) {
  const call = at(event, "tool_call");
  const [key, inner] = Object.entries(isObject(call) ? call : {})[0] ?? ["", undefined];
  return {
    tool: key.replace(/ToolCall$/, ""),
    args: at(inner, "args"),
    rejected: at(inner, "result", "rejected"),
  };
}

function blocks(event: Json): Shown[] {
  return listAt(event, "message", "content").flatMap((block): Shown[] => {
    if (textAt(block, "type") === "text" && textAt(block, "text") !== "")
      return [{ text: textAt(block, "text") }];
    if (textAt(block, "type") !== "tool_use") return [];
    return [{ tool: textAt(block, "name"), text: toolInput(at(block, "input")) }];
  });
}

/** The last message. Cursor's result concatenates all messages; Amp's is the last one. */
function messageOf(result: Json | undefined, lastText: string): string {
  return lastText === "" ? textAt(result, "result") : lastText;
}

function failureOf(result: Json | undefined, words: string, ended: Ended): Failed | undefined {
  const failed = result ? at(result, "is_error") === true : ended.exitCode !== 0;
  if (!failed) return undefined;
  const error = textAt(result, "error") || textAt(result, "result") || `${words}\n${ended.stderr}`;
  const classified = classify(error, ended.now);
  if (classified) return classified;
  return result && error.trim() !== "" ? { failure: "crashed", reason: error } : undefined;
}

export function streamJson(title: string): Reader {
  const words = latestLines();
  const refused: string[] = [];
  let message = "";
  let used: Usage = {};
  let session = "";
  let model = "";
  let result: Json | undefined;

  const onTool = (event: Json): Shown[] => {
    const { tool, args, rejected } = cursorTool(event);
    if (textAt(event, "subtype") === "started") return [{ tool, text: toolInput(args) }];
    if (rejected === undefined) return [];
    const on = toolInput(isObject(args) ? args : rejected);
    const setting = "permissions in .cursor/cli.json";
    pushBounded(
      refused,
      tool === "shell" ? refusedCommand(title, on) : refusedTool(title, { tool, on }, setting),
    );
    return [];
  };

  const onEvent = (event: Json): Shown[] => {
    session = textAt(event, "session_id") || session;
    switch (textAt(event, "type")) {
      case "system":
        model = textAt(event, "model") || model;
        return [];
      case "assistant": {
        const shown = blocks(event);
        message = shown.filter(({ tool }) => tool === undefined).at(-1)?.text ?? message;
        used = sumUsage([used, usageIn(at(event, "message", "usage"))]);
        return shown;
      }
      case "tool_call":
        return onTool(event);
      case "result":
        result = event;
        return [];
      default:
        return [];
    }
  };

  return {
    line: (line) => {
      const event = parseObject(line);
      if (event) return onEvent(event);
      words.add(line);
      return [];
    },
    end: (ended): Report => {
      const total = usageIn(at(result, "usage"));
      const cost = countAt(result, "total_cost_usd");
      const failed = failureOf(result, words.text(), ended);
      return {
        message: messageOf(result, message),
        usage: known({ ...(Object.keys(total).length > 0 ? total : used), costUsd: cost || undefined }),
        ...(model !== "" && { model }),
        ...(session !== "" && { sessionId: session }),
        ...(failed && { failed }),
        ...(refused.length > 0 && { refused }),
      };
    },
  };
}
