// Feeds for event streams: the events of one run from a sequence number on, or the summaries of all runs that change.

import type { RunRow } from "#spec/store";
import type { RunCache } from "#views/run-cache";
import type { Summaries } from "#views/summaries";
import { type Feed, message } from "./sse.ts";

/** Size of one batch for a client. */
const BATCH_CHARS = 262_144;

export function eventFeed(runCache: RunCache, id: string, after: number): Feed {
  let at = after;
  return {
    changed: (row) => row.id === id,
    take: async () => {
      const { events } = await runCache.get(id);
      let text = "";
      while (text.length < BATCH_CHARS) {
        const event = events[at];
        if (!event) break;
        text += message("event", event, event.seq);
        at = event.seq;
      }
      return text || undefined;
    },
  };
}

/** Coalesces changes: a run that changes several times before the client reads is sent once. */
export function summaryFeed(summaries: Summaries): Feed {
  const pending = new Map<string, RunRow>();
  return {
    changed: (row) => {
      pending.set(row.id, row);
      return true;
    },
    take: async () => {
      let text = "";
      for (const [id, row] of pending) {
        if (text.length >= BATCH_CHARS) break;
        pending.delete(id);
        text += message("run", (await summaries.of(row)).summary);
      }
      return text || undefined;
    },
  };
}
