// Reads usage that a script reports in the JSON file $CONVERGE_USAGE_FILE. The content is untrusted.
import type { Usage } from "#spec/agent";
import { readTail } from "#system/files";

const LIMIT = 65_536;
const FIELDS = ["inputTokens", "outputTokens", "cachedTokens", "costUsd"] as const;

export function readUsage(file: string): Usage {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readTail(file, LIMIT));
  } catch {
    return {};
  }
  if (typeof parsed !== "object" || parsed === null) return {};
  const numbers = FIELDS.map((field) => [field, (parsed as Record<string, unknown>)[field]] as const);
  return Object.fromEntries(
    numbers.filter(([, value]) => typeof value === "number" && Number.isFinite(value) && value >= 0),
  );
}
