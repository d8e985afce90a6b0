// What Codex wrote down of the tokens that an iteration used: entries of its rollout file, one JSON object a line.
import * as z from "zod";
import type { Usage } from "#spec/agent";
import { readTail } from "#system/files";

const TAIL_BYTES = 4 * 1_048_576;

const count = z.number().nonnegative().catch(0);

const shape = z.object({
  timestamp: z.string(),
  payload: z.object({
    type: z.literal("token_count"),
    info: z.object({
      total_token_usage: z.object({ total_tokens: z.number() }),
      last_token_usage: z.object({
        input_tokens: count,
        cached_input_tokens: count,
        output_tokens: count,
      }),
    }),
  }),
});

type Entry = z.output<typeof shape>;

function parsed(line: string): Entry | undefined {
  // Most lines are long, and about something else.
  if (!line.includes('"token_count"')) return undefined;
  try {
    return shape.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Of all requests to the model since then. One request may be told of several times, each with the same total. */
export function usageSince(file: string, since: string): Usage | undefined {
  const entries = readTail(file, TAIL_BYTES)
    .split("\n")
    .flatMap((line) => parsed(line) ?? [])
    .filter(({ timestamp }) => Date.parse(timestamp) >= Date.parse(since));
  const requests = new Map(
    entries.map(({ payload: { info } }) => [info.total_token_usage.total_tokens, info.last_token_usage]),
  );
  if (requests.size === 0) return undefined;
  let [inputTokens, outputTokens, cachedTokens] = [0, 0, 0];
  for (const used of requests.values()) {
    inputTokens += used.input_tokens;
    outputTokens += used.output_tokens;
    cachedTokens += used.cached_input_tokens;
  }
  return { inputTokens, outputTokens, cachedTokens };
}
