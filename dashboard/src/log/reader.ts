// Loads a log piece by piece around the visible place, one request at a time, and follows its end while it grows.
import type { LogPiece } from "#spec/overview";
import { anchorOf, kept, spaceOf, topOf, type View, wanted } from "./geometry.ts";
import type { Layout } from "./rows.ts";
import { EMPTY, end, joined, laidOut, PIECE_BYTES, start, trimmed, type Window } from "./window.ts";

/** Reads bytes from an offset; a negative offset counts from the end. */
export type Source = (from: number, bytes: number) => Promise<LogPiece>;

export interface Reading {
  readonly window: Window;
  /** Whether the newest line stays visible. */
  readonly following: boolean;
  /** False until the first answer. */
  readonly known: boolean;
  readonly error?: unknown;
}

export interface Viewport {
  look(): View;
  scroll(top: number): void;
}

export interface Reader {
  reading(): Reading;
  /** The user scrolled. */
  moved(): Promise<void>;
  /** The log may have grown. */
  grown(): Promise<void>;
  /** Scrolls to the newest line and follows it. */
  toEnd(): Promise<void>;
  lay(layout: Layout): void;
  close(): void;
}

/** If the log grew by more than this, the part in between is skipped. */
const BEHIND = 4 * PIECE_BYTES;
/** Bounds the requests if the server gives wrong answers. */
const MOST_IN_A_ROW = 200;

const bottomOf = (window: Window, { row, height }: View): number => {
  const { above, inside, below } = spaceOf(window, row);
  return Math.max(above + inside + below - height, 0);
};

export interface ReaderOptions {
  readonly viewport: Viewport;
  /** The layout at first. */
  readonly layout: Layout;
  readonly onChange: () => void;
}

export function reader(source: Source, options: ReaderOptions): Reader {
  const { viewport, onChange } = options;
  let { layout } = options;
  let state: Reading = { window: EMPTY, following: true, known: false };
  let busy = false;
  let missed = false;
  let closed = false;

  const set = (change: Partial<Reading>) => {
    state = { ...state, ...change };
    onChange();
  };

  /** Keeps the visible part in place: the end when following, else the topmost row. */
  const show = (window: Window, relaid = false) => {
    const view = viewport.look();
    const anchor = anchorOf(state.window, view);
    const place = (shown: Window): number => {
      if (state.following) return bottomOf(shown, view);
      return (anchor && topOf(shown, anchor, { row: view.row, relaid })) ?? view.top;
    };
    const { first, last } = kept(window, { ...view, top: place(window) });
    const next = trimmed(window, first, last);
    set({ window: next });
    const top = place(next);
    if (Math.abs(top - view.top) >= 1) viewport.scroll(top);
  };

  /** A piece ends at a line break, so the bytes between it and our first piece may be missing: loads them. */
  const between = async ({ to }: LogPiece): Promise<LogPiece | undefined> => {
    const missing = start(state.window) - to;
    return missing > 0 && missing < PIECE_BYTES ? source(to, missing) : undefined;
  };

  /** True when it loaded something new. */
  const load = async (from: number, bytes: number): Promise<boolean> => {
    try {
      const piece = await source(from, bytes);
      const gap = await between(piece);
      if (closed) return false;
      const { error: _, ...rest } = state;
      state = { ...rest, known: true };
      const fresh = piece.to > piece.from || piece.bytes !== state.window.bytes;
      show(joined(gap ? joined(state.window, gap, layout) : state.window, piece, layout));
      return fresh;
    } catch (error) {
      if (!closed) set({ known: true, error });
      return false;
    }
  };

  const fill = async () => {
    for (let tries = 0; tries < MOST_IN_A_ROW && !closed; tries++) {
      const next = wanted(state.window, viewport.look());
      if (!next || !(await load(next.from, next.bytes))) return;
    }
  };

  const last = async () => {
    await load(-PIECE_BYTES, PIECE_BYTES);
    await fill();
  };

  /** Serializes the work; a request in the meantime is served afterwards. */
  const alone = async (work: () => Promise<void>) => {
    if (closed) return;
    if (busy) {
      missed = true;
      return;
    }
    busy = true;
    try {
      await work();
      while (missed && !closed) {
        missed = false;
        await (state.following && end(state.window) < state.window.bytes ? last() : fill());
      }
    } finally {
      busy = false;
    }
  };

  const look = async () => {
    const { bytes, pieces } = state.window;
    if (pieces.length === 0) return last();
    const piece = await source(bytes, state.following ? PIECE_BYTES : 1).catch(() => undefined);
    if (!piece || closed || piece.bytes === bytes) return;
    // The log is shorter than before: it was started again.
    if (piece.bytes < bytes) state = { ...state, window: EMPTY };
    if (piece.bytes < bytes || (state.following && piece.bytes - end(state.window) > BEHIND)) return last();
    show(state.following ? joined(state.window, piece, layout) : { ...state.window, bytes: piece.bytes });
    await fill();
  };

  return {
    reading: () => state,
    moved: () => {
      const view = viewport.look();
      const following = view.top >= bottomOf(state.window, view) - view.row / 2;
      if (following !== state.following) set({ following });
      return alone(fill);
    },
    grown: () => alone(look),
    toEnd: () => {
      set({ following: true });
      return alone(last);
    },
    lay: (next) => {
      layout = next;
      show(laidOut(state.window, layout), true);
    },
    close: () => {
      closed = true;
    },
  };
}
