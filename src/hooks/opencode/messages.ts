// How a conversation of opencode reads to a session loop: who said what, and what it cost.
import type { Usage } from "#spec/agent";
import type { SessionMessage } from "../session-loop.ts";
import type { Message, Tokens } from "./client.ts";

/** Text of its own: not what tools printed, and nothing that the model never saw. */
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
    // Zero is what it says when it does not know the price.
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

/** Who the user speaks to, and how: what the last message that was meant for the model says. */
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
