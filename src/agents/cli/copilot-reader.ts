// Parses the events of `copilot --output-format json`, and its usage file.
import type { Usage } from "#spec/agent";
import { readTail } from "#system/files";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import {
  at,
  countAt,
  isObject,
  type Json,
  jsonLines,
  known,
  parseObject,
  sum,
  textAt,
} from "../shared/read-json.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { pushBounded } from "./bounded.ts";
import { toolInput } from "./tool-input.ts";

const TITLE = "Copilot CLI";
const MAX_RUNNING = 1_000;
const MAX_BYTES = 1_000_000;
const DENIED = "denied";
const LAST_ERROR = "Last error: ";
const SHELLS = ["bash", "powershell"];

function usageFrom(text: string): Usage {
  const metrics = at(parseObject(text), "modelMetrics");
  const models = Object.values(isObject(metrics) ? metrics : {}).map((model) => at(model, "usage"));
  const count = (key: string) => sum(...models.map((usage) => countAt(usage, key)));
  return known({
    inputTokens: count("inputTokens"),
    outputTokens: count("outputTokens"),
    cachedTokens: count("cacheReadTokens"),
  });
}

/** Classifies only the service's last error: the retry delays before it are not the time to wait. */
function failureOf(error: string, ended: Ended): Failed | undefined {
  if (error === "") return undefined;
  const lastError = error.slice(error.lastIndexOf(LAST_ERROR) + LAST_ERROR.length);
  return (
    classify(error.includes(LAST_ERROR) ? lastError : error, ended.now) ?? {
      failure: "crashed",
      reason: error,
    }
  );
}

/** Without a usage file, usage is unknown. */
export function copilotEvents(usageFile?: string): Reader {
  const running = new Map<string, { tool: string; on: string }>();
  const refused: string[] = [];
  let message = "";
  let model = "";
  let error = "";
  let session = "";

  const onStart = (data: unknown): Shown[] => {
    const used = { tool: textAt(data, "toolName"), on: toolInput(at(data, "arguments")) };
    if (running.size < MAX_RUNNING) running.set(textAt(data, "toolCallId"), used);
    return [{ tool: used.tool, text: used.on }];
  };

  const onComplete = (data: unknown): Shown[] => {
    const id = textAt(data, "toolCallId");
    const used = running.get(id) ?? { tool: "a tool", on: "" };
    running.delete(id);
    if (textAt(data, "error", "code") !== DENIED) return [];
    const allow = `"args: [--allow-tool, ${used.tool}]"`;
    pushBounded(
      refused,
      SHELLS.includes(used.tool) ? refusedCommand(TITLE, used.on) : refusedTool(TITLE, used, allow),
    );
    return [];
  };

  const onMessage = (data: unknown): Shown[] => {
    const text = textAt(data, "content");
    model = textAt(data, "model") || model;
    if (text.trim() === "") return [];
    message = text;
    return [{ text }];
  };

  const onEvent = (event: Json): Shown[] => {
    const data = at(event, "data");
    switch (textAt(event, "type")) {
      case "assistant.message":
        return onMessage(data);
      case "tool.execution_start":
        return onStart(data);
      case "tool.execution_complete":
        return onComplete(data);
      case "session.error":
        error = textAt(data, "message");
        return [];
      case "result":
        session = textAt(event, "sessionId");
        return [];
      default:
        return [];
    }
  };

  return {
    line: jsonLines(onEvent),
    end: (ended): Report => {
      const failed = ended.exitCode === 0 ? undefined : failureOf(error, ended);
      return {
        message,
        usage: usageFile === undefined ? {} : usageFrom(readTail(usageFile, MAX_BYTES)),
        ...(model !== "" && { model }),
        ...(session !== "" && { sessionId: session }),
        ...(failed && { failed }),
        ...(refused.length > 0 && { refused }),
      };
    },
  };
}
