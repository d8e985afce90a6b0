// Parses the events of `pi --mode json`. Pi always exits with 0; the model's last message tells how it ended.

import { dropUndefined } from "#options/option";
import { sumUsage } from "#rules/usage";
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, countAt, type Json, listAt, parseObject, sum, textAt } from "../shared/read-json.ts";
import { toolInput } from "./tool-input.ts";

function textOf(message: unknown): string {
  return listAt(message, "content")
    .filter((block) => textAt(block, "type") === "text")
    .map((block) => textAt(block, "text"))
    .join("\n");
}

/** A cost of 0 means that pi's table has no price for the model: unknown. */
function usageOf(message: unknown): Usage {
  const usage = at(message, "usage");
  if (!countAt(usage, "totalTokens")) return {};
  const cached = countAt(usage, "cacheRead");
  const input = sum(countAt(usage, "input"), cached, countAt(usage, "cacheWrite"));
  return dropUndefined({
    inputTokens: input,
    outputTokens: countAt(usage, "output"),
    cachedTokens: cached,
    costUsd: countAt(usage, "cost", "total") || undefined,
  });
}

function failureOf(last: unknown, ended: Ended): Failed | undefined {
  const reason = textAt(last, "stopReason");
  if (reason !== "error" && reason !== "aborted") return undefined;
  const message = textAt(last, "errorMessage") || "the model's answer was cut off";
  return classify(message, ended.now) ?? { failure: "crashed", reason: message };
}

export function piEvents(): Reader {
  let usage: Usage = {};
  let session = "";
  let message = "";
  let last: unknown;

  const onMessage = (event: Json): Shown[] => {
    const entry = at(event, "message");
    if (textAt(entry, "role") !== "assistant") return [];
    last = entry;
    usage = sumUsage([usage, usageOf(entry)]);
    const text = textOf(entry);
    if (text.trim() === "") return [];
    message = text;
    return [{ text }];
  };

  return {
    line: (line) => {
      const event = parseObject(line);
      switch (textAt(event, "type")) {
        case "session":
          session = textAt(event, "id");
          return [];
        case "message_end":
          return onMessage(event ?? {});
        case "tool_execution_start":
          return [{ tool: textAt(event, "toolName"), text: toolInput(at(event, "args")) }];
        default:
          return [];
      }
    },
    end: (ended): Report => {
      const failed = failureOf(last, ended);
      const model = textAt(last, "model");
      return {
        message,
        usage,
        ...(model !== "" && { model }),
        ...(session !== "" && { sessionId: session }),
        ...(failed && { failed }),
      };
    },
  };
}
