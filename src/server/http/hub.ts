// Notifies listeners of changed runs: one store poll for all of them, and only while there are listeners.

import type { StateWord } from "#spec/overview";
import type { RunRow } from "#spec/store";
import type { Context } from "#state/context";
import type { Summaries } from "#views/summaries";

export interface Listener {
  changed(row: RunRow): void;
  /** Called on every poll, changed or not. */
  tick(): void;
  /** The server shuts down. */
  close(): void;
}

export interface Hub {
  /** Returns a function that stops listening; undefined when the limit of listeners is reached. */
  listen(listener: Listener): Promise<(() => void) | undefined>;
  readonly count: number;
  close(): void;
}

export interface HubOptions {
  readonly most: number;
  readonly pollMs: number;
  readonly warn: (text: string) => void;
}

/** The pause after a poll is at least this many times its duration, so polling costs little however many runs there are. */
const PAUSE_FACTOR = 10;
/** Runs of unknown state that one poll may fold. */
const MAX_FOLDS_PER_POLL = 20;

interface ChangeDetector {
  /** Records the current runs, so that they are not reported as new; later polls fold their states in batches. */
  reset(): Promise<void>;
  /** The runs with new events or another state since the last call. */
  findChanged(): Promise<RunRow[]>;
}

function detectChanges({ store }: Context, summaries: Summaries): ChangeDetector {
  const seen = new Map<string, { readonly seq: number; readonly state?: StateWord }>();
  return {
    reset: async () => {
      seen.clear();
      for (const { id, seq } of await store.runs()) seen.set(id, { seq });
    },
    findChanged: async () => {
      const changed: RunRow[] = [];
      let unknown = MAX_FOLDS_PER_POLL;
      for (const row of await store.runs()) {
        const before = seen.get(row.id);
        const hasNewEvents = before?.seq !== row.seq;
        // A run without a driver gets one only with a new event, but a running one may have lost its driver.
        if (!hasNewEvents && before.state !== "running" && (before.state !== undefined || unknown-- <= 0))
          continue;
        const state = await summaries.stateOf(row);
        if (hasNewEvents || (before.state !== undefined && before.state !== state)) changed.push(row);
        seen.set(row.id, { seq: row.seq, state });
      }
      return changed;
    },
  };
}

export function hub(app: Context, summaries: Summaries, { most, pollMs, warn }: HubOptions): Hub {
  const listeners = new Set<Listener>();
  const changes = detectChanges(app, summaries);
  let timer: NodeJS.Timeout | undefined;
  let started: Promise<void> | undefined;
  let isClosed = false;

  const poll = async () => {
    const began = performance.now();
    try {
      const changed = await changes.findChanged();
      for (const listener of listeners) for (const row of changed) listener.changed(row);
    } catch (error) {
      warn(`cannot poll the store for changes: ${(error as Error).message}`);
    }
    for (const listener of listeners) listener.tick();
    timer = undefined;
    if (listeners.size === 0) started = undefined;
    else if (!isClosed)
      timer = setTimeout(poll, Math.max(pollMs, PAUSE_FACTOR * (performance.now() - began)));
  };

  return {
    listen: async (listener) => {
      if (isClosed || listeners.size >= most) return undefined;
      listeners.add(listener);
      // Before anybody reads a run, so that every later event shows up as a change.
      started ??= changes.reset();
      await started;
      timer ??= setTimeout(poll, pollMs);
      return () => void listeners.delete(listener);
    },
    get count() {
      return listeners.size;
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      for (const listener of listeners) listener.close();
      listeners.clear();
    },
  };
}
