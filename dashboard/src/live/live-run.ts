// Hook for one run: its event stream announces changes, and the new part is fetched.
import { useEffect, useState } from "preact/hooks";
import type { Overview } from "#spec/overview";
import { get, runPath } from "../api.ts";
import { type Connection, listen } from "../stream.ts";
import { atMostEvery } from "./at-most.ts";
import { lastKnown, merge } from "./merge.ts";

const PACE_MS = 250;

export interface LiveRun {
  readonly overview?: Overview;
  /** Local time of the last answer. */
  readonly receivedAt: number;
  readonly error?: unknown;
  readonly connection: Connection;
  /** Fetches changes now, without waiting for an event. */
  readonly refresh: () => void;
}

const NOTHING: LiveRun = { receivedAt: 0, connection: "connecting", refresh: () => {} };

function follow(id: string, show: (change: Partial<LiveRun>) => void): () => void {
  const aborting = new AbortController();
  let known: Overview | undefined;
  let close = () => {};
  let broken = false;

  const fetchNew = async () => {
    try {
      const after = known ? lastKnown(known) : 0;
      const next = await get<Overview>(runPath(id, known ? `?after=${after}` : ""), aborting.signal);
      const first = known === undefined;
      known = known ? merge(known, next, after) : next;
      show({ overview: known, receivedAt: Date.now(), error: undefined });
      if (first)
        close = listen(
          { path: runPath(id, "/stream"), name: "event", after: known.seq },
          { onEvent: pace.ask, onConnection },
        );
    } catch (error) {
      if (aborting.signal.aborted) return;
      show({ error });
      // There is no stream yet that would trigger a retry.
      if (!known) setTimeout(pace.ask, 3000);
    }
  };
  const onConnection = (connection: Connection) => {
    show({ connection });
    if (connection === "reconnecting") broken = true;
    if (connection !== "open" || !broken) return;
    // Fetch what the stream missed.
    broken = false;
    pace.ask();
  };
  const pace = atMostEvery(PACE_MS, fetchNew);
  show({ refresh: pace.ask });
  pace.ask();
  return () => {
    aborting.abort();
    pace.cancel();
    close();
  };
}

export function useLiveRun(id: string): LiveRun {
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    setLive(NOTHING);
    return follow(id, (change) => setLive((before) => ({ ...before, ...change }) as LiveRun));
  }, [id]);
  return live;
}
