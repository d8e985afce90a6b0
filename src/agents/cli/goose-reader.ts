// Parses the events of `goose run --output-format stream-json`. Messages arrive in chunks, and errors arrive as messages.
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { at, type Json, jsonLines, listAt, textAt } from "../shared/read-json.ts";
import { appendBounded } from "./bounded.ts";
import { toolInput } from "./tool-input.ts";

/** Goose's own message in place of the model's when the model fails. */
const GAVE_UP = /^Ran into this error[^:]*: ([\s\S]*?)(?:\n\nPlease |$)/;

function failureOf(error: string, message: string, ended: Ended): Failed | undefined {
  const text = error || GAVE_UP.exec(message)?.[1] || "";
  if (text === "") return undefined;
  return classify(text, ended.now) ?? { failure: "crashed", reason: text };
}

function toolOf(block: unknown): Shown {
  const call = at(block, "toolCall", "value");
  return { tool: textAt(call, "name"), text: toolInput(at(call, "arguments")) };
}

export function gooseEvents(): Reader {
  let id: string | undefined;
  let message = "";
  let error = "";

  const onText = (text: string, from: string): Shown[] => {
    message = from === id ? appendBounded(message, text) : appendBounded("", text);
    id = from;
    return text.trim() === "" ? [] : [{ text }];
  };

  const onMessage = (event: Json): Shown[] => {
    if (textAt(event, "message", "role") !== "assistant") return [];
    const from = textAt(event, "message", "id");
    return listAt(event, "message", "content").flatMap((block): Shown[] => {
      switch (textAt(block, "type")) {
        case "text":
          return onText(textAt(block, "text"), from);
        case "toolRequest":
          return [toolOf(block)];
        case "systemNotification":
          if (textAt(block, "notificationType") === "creditsExhausted")
            error = `Credits exhausted: ${textAt(block, "msg")}`;
          return [];
        default:
          return [];
      }
    });
  };

  return {
    line: jsonLines((event) => {
      if (textAt(event, "type") === "error") error = textAt(event, "error");
      return textAt(event, "type") === "message" ? onMessage(event) : [];
    }),
    end: (ended): Report => {
      const failed = failureOf(error, message, ended);
      return { message, usage: {}, ...(failed && { failed }) };
    },
  };
}
