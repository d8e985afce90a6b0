// Converts opencode messages to session messages with text and usage.
import type { Usage } from "#spec/agent";
import type { SessionMessage } from "../session-loop.ts";
import type { Message, Tokens } from "./client.ts";

/** Text parts only: no tool output, and nothing that was hidden from the model. */
function contentOf({ info, parts }: Message): string {
  if (info.role === "assistant" && info.summary === true) return "";
  const texts = parts.filter(({ type, ignored }) => type === "text" && ignored !== true);
  return texts.map(({ text = "" }) => text).join("\n\n");
}

function usageOf(tokens: Tokens, cost: number | undefined): Usage {
  const { input = 0, output = 0, reasoning = 0, cache: { read = 0, write = 0 } = {} } = tokens;
  return {
    inputTokens: input + read + write,
    outputTokens: output + reasoning,
    cachedTokens: read,
    // opencode reports 0 when the price is unknown.
    ...(cost !== undefined && cost > 0 && { costUsd: cost }),
  };
}

export function sessionMessage(message: Message): SessionMessage {
  const { role, tokens, cost, providerID, modelID } = message.info;
  return {
    role,
    content: contentOf(message),
    ...(role === "assistant" && tokens && { usage: usageOf(tokens, cost) }),
    ...(role === "assistant" && modelID !== undefined && { model: `${providerID}/${modelID}` }),
  };
}

/** Agent, model and variant of the last user message that the model saw. */
export function settingsOf(messages: readonly Message[]) {
  const last = messages.findLast(
    ({ info, parts }) => info.role === "user" && parts.some(({ ignored }) => ignored !== true),
  );
  const { agent, model } = last?.info ?? {};
  return {
    ...(agent !== undefined && { agent }),
    ...(model && { model: { providerID: model.providerID, modelID: model.modelID } }),
    ...(model?.variant !== undefined && { variant: model.variant }),
  };
}
