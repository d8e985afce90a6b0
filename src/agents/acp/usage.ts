// Reads tokens and model from ACP responses. The protocol leaves most of it open; unknown values stay absent.

import { dropUndefined } from "#options/option";
import type { Usage } from "#spec/agent";
import { at, countAt, listAt, sum, textAt } from "../shared/read-json.ts";

/** Usage as in the ACP draft: of this turn, with cached tokens counted separately. */
function draftUsage(usage: unknown): Usage {
  const cached = countAt(usage, "cachedReadTokens");
  const input = countAt(usage, "inputTokens");
  const output = countAt(usage, "outputTokens");
  return dropUndefined({
    inputTokens: input === undefined ? undefined : sum(input, cached, countAt(usage, "cachedWriteTokens")),
    outputTokens: output === undefined ? undefined : sum(output, countAt(usage, "thoughtTokens")),
    cachedTokens: cached,
  });
}

/** Where Gemini CLI reports usage. */
function quota(answer: unknown): unknown {
  return at(answer, "_meta", "quota");
}

export function usageOf(answer: unknown): Usage {
  if (at(answer, "usage") !== undefined) return draftUsage(at(answer, "usage"));
  return dropUndefined({
    inputTokens: countAt(quota(answer), "token_count", "input_tokens"),
    outputTokens: countAt(quota(answer), "token_count", "output_tokens"),
  });
}

/** From the response when only one model was used, otherwise from the opened session. */
export function modelOf(opened: unknown, answer: unknown): string | undefined {
  const used = listAt(quota(answer), "model_usage");
  const option = listAt(opened, "configOptions").find((one) => at(one, "category") === "model");
  const model =
    (used.length === 1 && textAt(used[0], "model")) ||
    textAt(option, "currentValue") ||
    textAt(opened, "models", "currentModelId");
  return model || undefined;
}
