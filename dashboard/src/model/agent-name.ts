// Readable name of an agent in a lesson, which identifies it by JSON: its type and distinguishing options.
export function agentName(agent: string): string {
  try {
    const parts = JSON.parse(agent) as unknown;
    if (Array.isArray(parts)) return parts.filter((part) => typeof part === "string").join(" ") || agent;
  } catch {
    // Not JSON: show it as it is.
  }
  return agent;
}
