// Hook that connects a log reader to its scroll box.
import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { View } from "./geometry.ts";
import { type Reader, type Reading, reader, type Source } from "./reader.ts";
import type { Layout } from "./rows.ts";
import { EMPTY } from "./window.ts";

/** Row height in pixels, as in log.css. */
export const ROW = 18;
const GROWN_MS = 700;

const NOTHING: Reading = { window: EMPTY, following: true, known: false };

export interface LogInView {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly reading: Reading;
  readonly view: View;
  readonly moved: () => void;
  readonly toEnd: () => void;
  readonly scrollTo: (top: number) => void;
  readonly lay: (layout: Layout) => void;
}

/** Reads new output at intervals. The returned function stops that, after a last read. */
function pollGrowth(log: RefObject<Reader | null>): () => void {
  const timer = setInterval(() => void log.current?.grown(), GROWN_MS);
  return () => {
    clearInterval(timer);
    void log.current?.grown();
  };
}

/** Applies a pending scroll position once. */
function applyScroll(box: RefObject<HTMLDivElement | null>, pending: RefObject<number | undefined>): void {
  if (pending.current === undefined || !box.current) return;
  box.current.scrollTop = pending.current;
  pending.current = undefined;
}

export function useLog(source: Source, live: boolean): LogInView {
  const box = useRef<HTMLDivElement>(null);
  const log = useRef<Reader | null>(null);
  const layout = useRef<Layout>({ wrap: false, columns: 80 });
  // A scroll position to apply once the rows are drawn.
  const pending = useRef<number | undefined>(undefined);
  const [, setVersion] = useState(0);
  const redraw = useCallback(() => setVersion((version) => version + 1), []);

  const look = useCallback((): View => {
    const height = box.current?.clientHeight ?? 0;
    return { top: pending.current ?? box.current?.scrollTop ?? 0, height, row: ROW };
  }, []);
  const scroll = useCallback(
    (top: number) => {
      pending.current = top;
      redraw();
    },
    [redraw],
  );

  useEffect(() => {
    const opened = reader(source, {
      viewport: { look, scroll },
      layout: layout.current,
      onChange: redraw,
    });
    log.current = opened;
    void opened.toEnd();
    return () => opened.close();
  }, [source, look, scroll, redraw]);

  useEffect(() => (live ? pollGrowth(log) : undefined), [live]);

  useLayoutEffect(() => applyScroll(box, pending));

  return {
    box,
    reading: log.current?.reading() ?? NOTHING,
    view: look(),
    moved: useCallback(() => {
      void log.current?.moved();
      redraw();
    }, [redraw]),
    toEnd: useCallback(() => void log.current?.toEnd(), []),
    scrollTo: scroll,
    lay: useCallback((next: Layout) => {
      const { wrap, columns } = layout.current;
      if (wrap === next.wrap && (columns === next.columns || !wrap)) return;
      layout.current = next;
      log.current?.lay(next);
    }, []),
  };
}
