// Parses the stream-json output of Qwen Code: messages, tool results, and how it ended.
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, type Json, jsonLines, known, listAt, sum, textAt } from "../shared/read-json.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { toolInput } from "./tool-input.ts";

/** A service error arrives as text of the model, in a result marked as success. */
const API_ERROR = /^\[API Error: ([\s\S]+)/;

function refusal(denial: unknown): string {
  const [tool, on] = [textAt(denial, "tool_name"), toolInput(at(denial, "tool_input"))];
  if (tool === "run_shell_command") return refusedCommand("Qwen Code", on);
  return refusedTool("Qwen Code", { tool, on }, "tools.allowed in its own settings");
}

/** Sums the usage of this call: the result reports the whole session. */
function addUsage(usage: Usage, message: unknown): Usage {
  return known({
    inputTokens: sum(usage.inputTokens, countAt(message, "usage", "input_tokens")),
    outputTokens: sum(usage.outputTokens, countAt(message, "usage", "output_tokens")),
    cachedTokens: sum(usage.cachedTokens, countAt(message, "usage", "cache_read_input_tokens")),
  });
}

function shownOf(block: unknown): Shown[] {
  const type = textAt(block, "type");
  if (type === "text") return [{ text: textAt(block, "text") }];
  if (type !== "tool_use") return [];
  return [{ tool: textAt(block, "name"), text: toolInput(at(block, "input")) }];
}

export function qwenReader(): Reader {
  let [sessionId, model, message] = ["", "", ""];
  let usage: Usage = {};
  let lastOutputTokens = 0;
  let result: Json | undefined;

  function onMessage(event: Json): Shown[] {
    const blocks = listAt(event, "message", "content").flatMap(shownOf);
    const text = blocks.filter(({ tool }) => tool === undefined).map((block) => block.text);
    message = text.join("\n") || message;
    model = textAt(event, "message", "model") || model;
    usage = addUsage(usage, event.message);
    lastOutputTokens = countAt(event, "message", "usage", "output_tokens") ?? 0;
    return blocks;
  }

  function read(event: Json): Shown[] {
    sessionId = textAt(event, "session_id") || sessionId;
    if (event.type === "assistant") return onMessage(event);
    if (event.type === "result") result = event;
    return [];
  }

  function failureOf({ now }: Ended): Failed | undefined {
    const error = API_ERROR.exec(message)?.[1];
    // Text that the model really wrote has output tokens.
    const words = lastOutputTokens === 0 && error !== undefined ? error : textAt(result, "error", "message");
    if (words === "" && result?.is_error !== true) return undefined;
    return classify(words, now) ?? { failure: "crashed", reason: words || "it ended with an error" };
  }

  function report(ended: Ended): Report {
    return known({
      message,
      usage,
      model: model || undefined,
      sessionId: sessionId || undefined,
      failed: failureOf(ended),
      refused: listAt(result, "permission_denials").map(refusal),
    }) as Report;
  }

  return {
    line: jsonLines(read),
    end: report,
  };
}
