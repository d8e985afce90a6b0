// Parses the events of `copilot --output-format json`, and its usage file.

import { dropUndefined } from "#options/option";
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
  return dropUndefined({
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

interface ToolUse {
  readonly tool: string;
  readonly on: string;
}

/** What was read so far. */
interface CopilotOutput {
  message: string;
  model: string;
  error: string;
  session: string;
  /** Tools that have not completed, by call id. */
  readonly running: Map<string, ToolUse>;
  readonly refused: string[];
}

function onToolStart({ running }: CopilotOutput, data: unknown): Shown[] {
  const use = { tool: textAt(data, "toolName"), on: toolInput(at(data, "arguments")) };
  if (running.size < MAX_RUNNING) running.set(textAt(data, "toolCallId"), use);
  return [{ tool: use.tool, text: use.on }];
}

function onToolComplete({ running, refused }: CopilotOutput, data: unknown): Shown[] {
  const id = textAt(data, "toolCallId");
  const use = running.get(id) ?? { tool: "a tool", on: "" };
  running.delete(id);
  if (textAt(data, "error", "code") !== DENIED) return [];
  const allow = `"args: [--allow-tool, ${use.tool}]"`;
  pushBounded(
    refused,
    SHELLS.includes(use.tool) ? refusedCommand(TITLE, use.on) : refusedTool(TITLE, use, allow),
  );
  return [];
}

function onMessage(output: CopilotOutput, data: unknown): Shown[] {
  const text = textAt(data, "content");
  output.model = textAt(data, "model") || output.model;
  if (text.trim() === "") return [];
  output.message = text;
  return [{ text }];
}

function onEvent(output: CopilotOutput, event: Json): Shown[] {
  const data = at(event, "data");
  switch (textAt(event, "type")) {
    case "assistant.message":
      return onMessage(output, data);
    case "tool.execution_start":
      return onToolStart(output, data);
    case "tool.execution_complete":
      return onToolComplete(output, data);
    case "session.error":
      output.error = textAt(data, "message");
      return [];
    case "result":
      output.session = textAt(event, "sessionId");
      return [];
    default:
      return [];
  }
}

/** Without a usage file, usage is unknown. */
export function copilotEvents(usageFile?: string): Reader {
  const output: CopilotOutput = {
    ...{ message: "", model: "", error: "", session: "" },
    ...{ running: new Map(), refused: [] },
  };
  return {
    line: jsonLines((event) => onEvent(output, event)),
    end: (ended): Report => {
      const { message, model, session, error, refused } = output;
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
