// Computes the usage of one call for CLIs that report the usage of the whole session.
import type { Usage } from "#spec/agent";

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens"] as const;

function difference(total: Usage, before: Usage): Usage {
  return Object.fromEntries(
    COUNTS.flatMap((count) => {
      const now = total[count];
      return now === undefined ? [] : [[count, Math.max(0, now - (before[count] ?? 0))]];
    }),
  );
}

/** Remembers the usage of each session. Without the start of a session, the usage of one call is unknown. */
export function sessionUsage(): (total: Usage, session?: { id: string; resumed: boolean }) => Usage {
  const used = new Map<string, Usage>();
  return (total, session) => {
    const before = session && used.get(session.id);
    if (session && Object.keys(total).length > 0) used.set(session.id, total);
    if (!session?.resumed) return total;
    return before ? difference(total, before) : {};
  };
}
