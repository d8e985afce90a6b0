// Hook for the runs that match a filter, updated from the event stream.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Summary } from "#spec/overview";
import { get, query } from "../api.ts";
import { atMostEvery } from "../live/at-most.ts";
import { type Connection, listen } from "../stream.ts";
import { type Filter, joined, needsAsking, type Page, withNews } from "./runs.ts";

const PAGE = 50;
const MOST_AT_ONCE = 500;
const PACE_MS = 500;
const NEWS_MS = 250;

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

/** Fetches all shown runs again; the user may load more pages in the meantime. */
async function fetchShown(filter: Filter, shown: () => number): Promise<Page> {
  let page = await fetchPage(filter, Math.min(MOST_AT_ONCE, Math.max(PAGE, shown())));
  while (page.next !== undefined && page.runs.length < shown())
    page = joined(page, await fetchPage(filter, MOST_AT_ONCE, page.next));
  return page;
}

/** The runs on the page, and how to change what it says about them. */
interface RunList {
  readonly shown: RefObject<Page | undefined>;
  readonly show: (page: Page) => void;
  readonly setError: (reason: unknown) => void;
  readonly setConnection: (connection: Connection) => void;
}

/** Fetches the runs and applies the updates of the event stream, until the returned function is called. */
function followRuns(filter: Filter, { shown, show, setError, setConnection }: RunList): () => void {
  let over = false;
  const pace = atMostEvery(PACE_MS, async () => {
    try {
      const answer = await fetchShown(filter, () => shown.current?.runs.length ?? 0);
      if (over) return;
      setError(undefined);
      show(answer);
    } catch (reason) {
      if (!over) setError(reason);
    }
  });
  // Active runs change all the time; a few updates per second are enough.
  const waiting = new Map<string, Summary>();
  const telling = atMostEvery(NEWS_MS, async () => {
    const before = shown.current;
    const news = [...waiting.values()];
    waiting.clear();
    if (!before || news.some((each) => needsAsking(before, each, filter))) pace.ask();
    if (before) show(news.reduce((page, each) => withNews(page, each, filter), before));
  });
  const onEvent = (data: unknown) => {
    const news = data as Summary;
    waiting.set(news.id, news);
    telling.ask();
  };
  const onConnection = (next: Connection) => {
    setConnection(next);
    // The stream does not replay events, so fetch the list again.
    if (next === "open") pace.ask();
  };
  shown.current = undefined;
  pace.ask();
  const close = listen({ path: "/stream", name: "run" }, { onEvent, onConnection });
  return () => {
    over = true;
    pace.cancel();
    telling.cancel();
    close();
  };
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
  useEffect(() => followRuns(filter, { shown, show, setError, setConnection }), [filter]);
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
