// The name of an agent as lessons have it: JSON of its type and what tells it from others of that type.
export function agentName(agent: string): string {
  try {
    const parts = JSON.parse(agent) as unknown;
    if (Array.isArray(parts)) return parts.filter((part) => typeof part === "string").join(" ") || agent;
  } catch {
    // Then it is shown as it is.
  }
  return agent;
}
