// OpenAI Responses protocol, used by Codex.
import { refuse } from "./openai-errors.ts";
import type { Protocol, Reply } from "./protocol.ts";
import { tokensOf } from "./script.ts";
import type { Call } from "./tools.ts";

function callItem({ name, custom, input }: Call, id: string) {
  const item = { id: `item_${id}`, call_id: `call_${id}`, name, status: "completed" };
  if (custom) return { ...item, type: "custom_tool_call", input };
  return { ...item, type: "function_call", arguments: JSON.stringify(input) };
}

function items({ answer, calls, id }: Reply): Record<string, unknown>[] {
  const content = [{ type: "output_text", text: answer.say, annotations: [] }];
  const message = { id: `msg_${id}`, type: "message", role: "assistant", status: "completed", content };
  return [
    ...(answer.say === undefined ? [] : [message]),
    ...calls.map((call, at) => callItem(call, `${id}${at}`)),
  ];
}

function whole(reply: Reply) {
  const { input, output, cached } = tokensOf(reply.answer);
  return {
    id: `resp_${reply.id}`,
    object: "response",
    status: "completed",
    model: reply.body?.model,
    output: items(reply),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
}

function itemEvents(item: Record<string, unknown>, output_index: number, say: string | undefined) {
  const text = {
    type: "response.output_text.delta",
    item_id: item.id,
    output_index,
    content_index: 0,
    delta: say,
  };
  return [
    { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
    ...(item.type === "message" ? [text] : []),
    { type: "response.output_item.done", output_index, item },
  ];
}

export const responses: Protocol = {
  name: "responses",
  path: /^\/v1\/responses$/,
  tools: (body) =>
    (body?.tools ?? []).map((tool: { type: string; name?: string; parameters?: object }) => ({
      name: tool.name ?? tool.type,
      schema: tool.parameters,
      custom: tool.type === "custom",
    })),
  streams: ({ body }) => body?.stream === true,
  whole,
  stream: (reply) => {
    const response = whole(reply);
    const begun = { ...response, status: "in_progress", output: [], usage: null };
    const events = [
      { type: "response.created", response: begun },
      ...response.output.flatMap((item, at) => itemEvents(item, at, reply.answer.say)),
      { type: "response.completed", response },
    ];
    return {
      events: events.map((data, at) => ({ event: data.type, data: { ...data, sequence_number: at } })),
    };
  },
  refuse,
};
