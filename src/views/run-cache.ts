// LRU cache of folded runs, bounded by their number of events. A second read only folds new events.
import { UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Store } from "#spec/store";
import { foldAll } from "./run-view.ts";

/** Limit for the events of all cached runs together. */
const MAX_EVENTS = 150_000;

export interface CachedRun {
  readonly run: Run;
  /** Event `seq` is at index `seq - 1`. */
  readonly events: readonly RunEvent[];
}

export interface RunCache {
  /** The current run. Throws UsageError when there is none, TamperedError when its record is tampered with. */
  get(id: string): Promise<CachedRun>;
}

export function createRunCache(store: Pick<Store, "read">, maxEvents = MAX_EVENTS): RunCache {
  const cache = new Map<string, { readonly run: Run; readonly events: RunEvent[] }>();
  const pending = new Map<string, Promise<CachedRun>>();

  const trim = () => {
    let count = [...cache.values()].reduce((sum, { events }) => sum + events.length, 0);
    for (const [id, { events }] of cache) {
      if (count <= maxEvents || cache.size === 1) return;
      count -= events.length;
      cache.delete(id);
    }
  };

  const read = async (id: string): Promise<CachedRun> => {
    const before = cache.get(id);
    // Remove the entry first: a tampered run must not stay cached, and a run that was read becomes the newest entry.
    cache.delete(id);
    const added = await store.read(id, before?.run.seq ?? 0);
    const run = added.length > 0 ? foldAll(added, before?.run) : before?.run;
    if (!run) throw new UsageError(`there is no run ${id}; \`converge ls\` lists them`);
    const events = before?.events ?? [];
    for (const event of added) events.push(event);
    cache.set(id, { run, events });
    trim();
    return { run, events };
  };

  return {
    get: (id) => {
      const promise = pending.get(id) ?? read(id).finally(() => pending.delete(id));
      pending.set(id, promise);
      return promise;
    },
  };
}
