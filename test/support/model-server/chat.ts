// OpenAI Chat Completions protocol, used by opencode's compatible provider and by summary endpoints.
import { refuse } from "./openai-errors.ts";
import type { Protocol, Reply } from "./protocol.ts";
import { tokensOf } from "./script.ts";

function usage(reply: Reply) {
  const { input, output, cached } = tokensOf(reply.answer);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function head({ id, body }: Reply, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 1_750_000_000, model: body?.model };
}

function toolCalls({ calls, id }: Reply) {
  return calls.map(({ name, input }, at) => ({
    id: `call_${id}${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
}

const reason = ({ calls }: Reply) => (calls.length > 0 ? "tool_calls" : "stop");

export const chat: Protocol = {
  name: "chat",
  path: /^\/v1\/chat\/completions$/,
  tools: (body) =>
    (body?.tools ?? []).map(({ function: tool }: { function: { name: string; parameters?: object } }) => ({
      name: tool.name,
      schema: tool.parameters,
    })),
  streams: ({ body }) => body?.stream === true,
  whole: (reply) => {
    const calls = toolCalls(reply);
    const said = { role: "assistant", content: reply.answer.say ?? null };
    const message = calls.length > 0 ? { ...said, tool_calls: calls } : said;
    const choices = [{ index: 0, message, finish_reason: reason(reply) }];
    return { ...head(reply, "chat.completion"), choices, usage: usage(reply) };
  },
  stream: (reply) => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: { ...head(reply, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason }] },
    });
    const calls = toolCalls(reply).map((call, index) => chunk({ tool_calls: [{ index, ...call }] }));
    const said = reply.answer.say === undefined ? [] : [chunk({ content: reply.answer.say })];
    const last = { data: { ...head(reply, "chat.completion.chunk"), choices: [], usage: usage(reply) } };
    const events = [
      chunk({ role: "assistant", content: "" }),
      ...said,
      ...calls,
      chunk({}, reason(reply)),
      last,
    ];
    return { events, end: "[DONE]" };
  },
  refuse,
};
