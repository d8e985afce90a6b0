// Every tree that a run's record names: its snapshots, what was cut off or undone, and what is protected.
import type { RunEvent } from "#spec/event";

export interface Named {
  readonly iteration: number;
  readonly tree: string;
}

/** Every snapshot that an event tells of: also what was cut off, what was undone, and what was there before a restore. */
export function treesIn(event: RunEvent): Named[] {
  switch (event.type) {
    case "snapshot.taken":
      return [{ iteration: event.iteration, tree: event.snapshot.tree }];
    case "iteration.interrupted":
    case "protected.changed":
      return [event];
    case "workspace.restored":
      return [event, { iteration: event.iteration, tree: event.saved }];
    default:
      return [];
  }
}

function othersIn(event: RunEvent): string[] {
  switch (event.type) {
    case "snapshot.taken":
      return event.seal === undefined ? [] : [event.seal];
    case "outputs.seen":
      return Object.values(event.trees ?? {});
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
