// Folded runs kept in memory, so that whoever looks again reads only what is new. Bounded: the least looked at go first.
import { UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Store } from "#spec/store";
import { foldAll } from "./run-view.ts";

/** Events of all kept runs together. */
const MOST_EVENTS = 150_000;

export interface Kept {
  readonly run: Run;
  /** Event `seq` stands at `seq - 1`. */
  readonly events: readonly RunEvent[];
}

export interface KeptRuns {
  /** The run as it stands now. Throws UsageError when there is none, TamperedError when it cannot be believed. */
  get(id: string): Promise<Kept>;
}

export function keptRuns(store: Pick<Store, "read">, most = MOST_EVENTS): KeptRuns {
  const kept = new Map<string, { readonly run: Run; readonly events: RunEvent[] }>();
  const reading = new Map<string, Promise<Kept>>();

  const trim = () => {
    let count = [...kept.values()].reduce((sum, { events }) => sum + events.length, 0);
    for (const [id, { events }] of kept) {
      if (count <= most || kept.size === 1) return;
      count -= events.length;
      kept.delete(id);
    }
  };

  const read = async (id: string): Promise<Kept> => {
    const before = kept.get(id);
    // Taken out first: what cannot be believed any more is not kept, and what is looked at becomes the newest.
    kept.delete(id);
    const news = await store.read(id, before?.run.seq ?? 0);
    const run = news.length > 0 ? foldAll(news, before?.run) : before?.run;
    if (!run) throw new UsageError(`there is no run ${id}`);
    const events = before?.events ?? [];
    for (const event of news) events.push(event);
    kept.set(id, { run, events });
    trim();
    return { run, events };
  };

  return {
    get: (id) => {
      const running = reading.get(id) ?? read(id).finally(() => reading.delete(id));
      reading.set(id, running);
      return running;
    },
  };
}
