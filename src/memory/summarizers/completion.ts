// The body that a chat completions endpoint answers with. Somebody else's JSON: only what is understood is taken.
import * as z from "zod";
import type { Usage } from "#spec/agent";

const tokens = z.number().min(0).optional().catch(undefined);

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      prompt_tokens_details: z.object({ cached_tokens: tokens }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

const complaint = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Undefined when it is none. */
export function readCompletion(body: string): { readonly text: string; readonly usage: Usage } | undefined {
  const { data } = completion.safeParse(json(body));
  const [first] = data?.choices ?? [];
  if (!data || !first) return undefined;
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details } = data.usage ?? {};
  const cached = prompt_tokens_details?.cached_tokens;
  return {
    text: first.message.content,
    usage: {
      ...(input !== undefined && { inputTokens: input }),
      ...(output !== undefined && { outputTokens: output }),
      ...(cached !== undefined && { cachedTokens: cached }),
    },
  };
}

/** What the endpoint says is wrong, if it says so in JSON. */
export function readComplaint(body: string): string | undefined {
  const error = complaint.safeParse(json(body)).data?.error;
  return typeof error === "string" ? error : error?.message;
}
