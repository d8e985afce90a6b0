// What the agent says of the tokens it used and of its model. The protocol leaves most of it open: unknown stays absent.
import type { Usage } from "#spec/agent";
import { at, countAt, known, listAt, sum, textAt } from "../shared/read-json.ts";

/** As the protocol's draft has it: of the turn, what was cached counted apart. */
function drafted(usage: unknown): Usage {
  const cached = countAt(usage, "cachedReadTokens");
  const input = countAt(usage, "inputTokens");
  const output = countAt(usage, "outputTokens");
  return known({
    inputTokens: input === undefined ? undefined : sum(input, cached, countAt(usage, "cachedWriteTokens")),
    outputTokens: output === undefined ? undefined : sum(output, countAt(usage, "thoughtTokens")),
    cachedTokens: cached,
  });
}

/** Gemini CLI has a place of its own for it. */
function quota(answer: unknown): unknown {
  return at(answer, "_meta", "quota");
}

export function usageOf(answer: unknown): Usage {
  if (at(answer, "usage") !== undefined) return drafted(at(answer, "usage"));
  return known({
    inputTokens: countAt(quota(answer), "token_count", "input_tokens"),
    outputTokens: countAt(quota(answer), "token_count", "output_tokens"),
  });
}

/** From the answer when one model did it all, else from what the session was opened with. */
export function modelOf(opened: unknown, answer: unknown): string | undefined {
  const used = listAt(quota(answer), "model_usage");
  const option = listAt(opened, "configOptions").find((one) => at(one, "category") === "model");
  const model =
    (used.length === 1 && textAt(used[0], "model")) ||
    textAt(option, "currentValue") ||
    textAt(opened, "models", "currentModelId");
  return model || undefined;
}
