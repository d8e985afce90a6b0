// Reads the token usage of an iteration from Codex's rollout file (JSON lines).
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

function parseEntry(line: string): Entry | undefined {
  // Skips parsing of other lines, which are long.
  if (!line.includes('"token_count"')) return undefined;
  try {
    return shape.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Sums the usage of all model requests since a time. A request may be reported several times with the same total. */
export function usageSince(file: string, since: string): Usage | undefined {
  const entries = readTail(file, TAIL_BYTES)
    .split("\n")
    .flatMap((line) => parseEntry(line) ?? [])
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
