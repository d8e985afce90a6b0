// Tells everybody who listens which runs have changed: one look at the store for all of them, and only while somebody listens.

import type { StateWord } from "#spec/overview";
import type { RunRow } from "#spec/store";
import type { App } from "#state/context";
import type { Summaries } from "#views/summaries";

export interface Listener {
  changed(row: RunRow): void;
  /** Now and then, whether there is something new or not. */
  tick(): void;
  /** The server is going down. */
  close(): void;
}

export interface Hub {
  /** Undefined when there are as many as may be. Otherwise what ends it. */
  listen(listener: Listener): Promise<(() => void) | undefined>;
  readonly count: number;
  close(): void;
}

export interface HubOptions {
  readonly most: number;
  readonly pollMs: number;
  readonly warn: (text: string) => void;
}

/** So that looking takes a small part of the time, however many runs there are. */
const REST = 10;
/** Runs of which nothing is known yet that one look may fold. */
const AT_ONCE = 20;

export function hub(app: App, summaries: Summaries, { most, pollMs, warn }: HubOptions): Hub {
  const listeners = new Set<Listener>();
  const seen = new Map<string, { readonly seq: number; readonly state?: StateWord }>();
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<void> | undefined;
  let closed = false;

  const look = async (): Promise<RunRow[]> => {
    const changed: RunRow[] = [];
    let unknown = AT_ONCE;
    for (const row of await app.store.runs()) {
      const before = seen.get(row.id);
      const grown = before?.seq !== row.seq;
      // A run that nobody was driving shows by a new event that somebody does; one that was driven may have lost its driver.
      if (!grown && before.state !== "running" && (before.state !== undefined || unknown-- <= 0)) continue;
      const state = await summaries.stateOf(row);
      if (grown || (before.state !== undefined && before.state !== state)) changed.push(row);
      seen.set(row.id, { seq: row.seq, state });
    }
    return changed;
  };

  /** What is there when the first one comes is not news; what is in the runs is looked at by and by. */
  const begin = async () => {
    seen.clear();
    for (const { id, seq } of await app.store.runs()) seen.set(id, { seq });
  };

  const poll = async () => {
    const began = performance.now();
    try {
      const changed = await look();
      for (const listener of listeners) for (const row of changed) listener.changed(row);
    } catch (error) {
      warn(`cannot look for changes: ${(error as Error).message}`);
    }
    for (const listener of listeners) listener.tick();
    timer = undefined;
    if (listeners.size === 0) begun = undefined;
    else if (!closed) timer = setTimeout(poll, Math.max(pollMs, REST * (performance.now() - began)));
  };

  return {
    listen: async (listener) => {
      if (closed || listeners.size >= most) return undefined;
      listeners.add(listener);
      // Before anybody reads a run: what is appended after that must show as a change.
      begun ??= begin();
      await begun;
      timer ??= setTimeout(poll, pollMs);
      return () => void listeners.delete(listener);
    },
    get count() {
      return listeners.size;
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      for (const listener of listeners) listener.close();
      listeners.clear();
    },
  };
}
