// Parses the response of a chat completions endpoint. It is untrusted: unknown fields are ignored.
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

const errorBody = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns undefined when the body is not a completion. */
export function readCompletion(body: string): { readonly text: string; readonly usage: Usage } | undefined {
  const { data } = completion.safeParse(parseJson(body));
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

/** The error message of the endpoint, if the body has one. */
export function readErrorMessage(body: string): string | undefined {
  const error = errorBody.safeParse(parseJson(body)).data?.error;
  return typeof error === "string" ? error : error?.message;
}
