// The runs that fit a filter, kept up to date by the stream of all runs.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Summary } from "#spec/overview";
import { get, query } from "../api.ts";
import { atMostEvery } from "../live/at-most.ts";
import { type Connection, listen } from "../stream.ts";
import { type Filter, joined, needsAsking, type Page, withNews } from "./runs.ts";

const PAGE = 50;
const MOST_AT_ONCE = 200;
const PACE_MS = 500;

export interface Runs {
  /** Absent until the first answer. */
  readonly page?: Page;
  readonly error?: unknown;
  readonly connection: Connection;
  readonly more: () => Promise<void>;
}

function fetchPage({ states, text, workspace }: Filter, limit: number, cursor?: string): Promise<Page> {
  const state = states.join(",");
  return get<Page>(`/runs${query({ state, q: text, workspace, limit, cursor })}`);
}

export function useRuns(filter: Filter): Runs {
  const [page, setPage] = useState<Page>();
  const [error, setError] = useState<unknown>();
  const [connection, setConnection] = useState<Connection>("connecting");
  const shown = useRef<Page>(undefined);
  const show = (next: Page) => {
    shown.current = next;
    setPage(next);
  };
  useEffect(() => {
    let over = false;
    const pace = atMostEvery(PACE_MS, async () => {
      const limit = Math.min(MOST_AT_ONCE, Math.max(PAGE, shown.current?.runs.length ?? 0));
      try {
        const answer = await fetchPage(filter, limit);
        if (over) return;
        setError(undefined);
        show(answer);
      } catch (reason) {
        if (!over) setError(reason);
      }
    });
    const onEvent = (data: unknown) => {
      const news = data as Summary;
      if (!shown.current || needsAsking(shown.current, news, filter)) pace.ask();
      else show(withNews(shown.current, news, filter));
    };
    const onConnection = (next: Connection) => {
      setConnection(next);
      // The stream has no memory: whatever it missed is in the first page.
      if (next === "open") pace.ask();
    };
    shown.current = undefined;
    pace.ask();
    const close = listen("/stream", "run", { onEvent, onConnection });
    return () => {
      over = true;
      pace.cancel();
      close();
    };
  }, [filter]);
  const more = async () => {
    const before = shown.current;
    if (before?.next === undefined) return;
    try {
      const answer = await fetchPage(filter, PAGE, before.next);
      show(joined(shown.current ?? before, answer));
    } catch (reason) {
      setError(reason);
    }
  };
  return { ...(page && { page }), error, connection, more };
}
