// Every tree that a run's record names: its snapshots, what was cut off or undone, and what is protected.
import type { RunEvent } from "#spec/event";
import { treesIn } from "../snapshots.ts";

function othersIn(event: RunEvent): string[] {
  switch (event.type) {
    case "snapshot.taken":
      return event.seal === undefined ? [] : [event.seal];
    case "run.delivered":
      return [event.delivered.tree];
    case "run.ended":
      return [event.tree, event.best?.tree].filter((tree) => tree !== undefined);
    default:
      return [];
  }
}

export function namedTrees(events: readonly RunEvent[]): string[] {
  const all = events.flatMap((event) => [...treesIn(event).map(({ tree }) => tree), ...othersIn(event)]);
  return [...new Set(all)];
}
