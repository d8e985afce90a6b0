// Anthropic Messages protocol, used by Claude Code.
import type { Protocol, Reply } from "./protocol.ts";
import { type Complaint, tokensOf } from "./script.ts";

const COMPLAINTS: Record<Complaint, [number, string, string]> = {
  "rate-limit": [
    429,
    "rate_limit_error",
    "This request would exceed the rate limit for your organization of 50,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.",
  ],
  overloaded: [529, "overloaded_error", "Overloaded"],
  quota: [
    400,
    "invalid_request_error",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  ],
  auth: [401, "authentication_error", "invalid x-api-key"],
  "context-too-long": [400, "invalid_request_error", "prompt is too long: 214315 tokens > 200000 maximum"],
  "unknown-model": [404, "not_found_error", "model: no-such-model"],
};

function content({ answer, calls, id }: Reply): Record<string, unknown>[] {
  const text = answer.say === undefined ? [] : [{ type: "text", text: answer.say }];
  const uses = calls.map(({ name, input }, at) => ({
    type: "tool_use",
    id: `toolu_${id}${at}`,
    name,
    input,
  }));
  return [...text, ...uses];
}

function whole(reply: Reply) {
  const { input, output, cached } = tokensOf(reply.answer);
  return {
    id: `msg_${reply.id}`,
    type: "message",
    role: "assistant",
    model: reply.body.model,
    content: content(reply),
    stop_reason: reply.calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: input - cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cached,
      output_tokens: output,
    },
  };
}

function blockEvents(block: Record<string, unknown>, index: number) {
  const [start, delta] =
    block.type === "text"
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  return [
    { type: "content_block_start", index, content_block: start },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}

export const anthropic: Protocol = {
  name: "anthropic",
  path: /^\/v1\/messages$/,
  counting: { path: /^\/v1\/messages\/count_tokens$/, answer: { input_tokens: 1000 } },
  tools: (body) =>
    (body?.tools ?? []).map((tool: { name: string; input_schema?: object }) => ({
      name: tool.name,
      schema: tool.input_schema,
    })),
  streams: ({ body }) => body?.stream === true,
  whole,
  stream: (reply) => {
    const message = whole(reply);
    const { stop_reason, stop_sequence, usage } = message;
    const empty = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    const events = [
      { type: "message_start", message: empty },
      ...message.content.flatMap(blockEvents),
      { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
      { type: "message_stop" },
    ];
    return { events: events.map((data) => ({ event: data.type, data })) };
  },
  refuse: (kind) => {
    const [status, type, message] = COMPLAINTS[kind];
    return { status, body: { type: "error", error: { type, message }, request_id: "req_0123" } };
  },
};
