// Lists every tree that a run's events name: snapshots, interrupted or undone files, and protected files.
import type { RunEvent } from "#spec/event";

export interface NamedTree {
  readonly iteration: number;
  readonly tree: string;
}

/** The snapshots named by an event, including interrupted and undone files and the state before a restore. */
export function treesIn(event: RunEvent): NamedTree[] {
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

/** Fields that hold trees. */
type TreeField = "tree" | "trees" | "saved" | "snapshot" | "seal";

/** Compiles only for events without trees, so that a new event with one has to be added above. */
function withoutTrees(_event: { readonly type: string } & { readonly [field in TreeField]?: never }): [] {
  return [];
}

function otherTreesIn(event: RunEvent): string[] {
  switch (event.type) {
    case "snapshot.taken":
      return event.seal === undefined ? [] : [event.seal];
    case "outputs.seen":
      return Object.values(event.trees ?? {});
    case "run.delivered":
      return [event.delivered.tree];
    case "run.ended":
      return [event.tree, event.best?.tree].filter((tree) => tree !== undefined);
    case "iteration.interrupted":
    case "protected.changed":
    case "workspace.restored":
      return [];
    default:
      return withoutTrees(event);
  }
}

export function namedTrees(events: readonly RunEvent[]): string[] {
  const all = events.flatMap((event) => [...treesIn(event).map(({ tree }) => tree), ...otherTreesIn(event)]);
  return [...new Set(all)];
}
