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

/** An open log: its options, what is loaded, and whether a request is under way. */
interface OpenLog extends Omit<ReaderOptions, "layout"> {
  readonly source: Source;
  layout: Layout;
  reading: Reading;
  busy: boolean;
  /** Somebody asked for work while the log was busy. */
  missed: boolean;
  closed: boolean;
}

function update(log: OpenLog, change: Partial<Reading>): void {
  log.reading = { ...log.reading, ...change };
  log.onChange();
}

/** Keeps the visible part in place: the end when following, else the topmost row. */
function show(log: OpenLog, window: Window, relaid = false): void {
  const view = log.viewport.look();
  const anchor = anchorOf(log.reading.window, view);
  const place = (shown: Window): number => {
    if (log.reading.following) return bottomOf(shown, view);
    return (anchor && topOf(shown, anchor, { row: view.row, relaid })) ?? view.top;
  };
  const { first, last } = kept(window, { ...view, top: place(window) });
  const next = trimmed(window, first, last);
  update(log, { window: next });
  const top = place(next);
  if (Math.abs(top - view.top) >= 1) log.viewport.scroll(top);
}

/** A piece ends at a line break, so the bytes between it and our first piece may be missing: loads them. */
async function loadGap(log: OpenLog, { to }: LogPiece): Promise<LogPiece | undefined> {
  const missing = start(log.reading.window) - to;
  return missing > 0 && missing < PIECE_BYTES ? log.source(to, missing) : undefined;
}

/** True when it loaded something new. */
async function load(log: OpenLog, from: number, bytes: number): Promise<boolean> {
  try {
    const piece = await log.source(from, bytes);
    const gap = await loadGap(log, piece);
    if (log.closed) return false;
    const { error: _, ...rest } = log.reading;
    log.reading = { ...rest, known: true };
    const { window } = log.reading;
    const fresh = piece.to > piece.from || piece.bytes !== window.bytes;
    show(log, joined(gap ? joined(window, gap, log.layout) : window, piece, log.layout));
    return fresh;
  } catch (error) {
    if (!log.closed) update(log, { known: true, error });
    return false;
  }
}

/** Loads what is missing around the visible place. */
async function fill(log: OpenLog): Promise<void> {
  for (let tries = 0; tries < MOST_IN_A_ROW && !log.closed; tries++) {
    const next = wanted(log.reading.window, log.viewport.look());
    if (!next || !(await load(log, next.from, next.bytes))) return;
  }
}

async function loadEnd(log: OpenLog): Promise<void> {
  await load(log, -PIECE_BYTES, PIECE_BYTES);
  await fill(log);
}

/** Loads what was appended. When not following, only the new length. */
async function loadGrowth(log: OpenLog): Promise<void> {
  const { bytes, pieces } = log.reading.window;
  if (pieces.length === 0) return loadEnd(log);
  const piece = await log.source(bytes, log.reading.following ? PIECE_BYTES : 1).catch(() => undefined);
  if (!piece || log.closed || piece.bytes === bytes) return;
  // The log is shorter than before: it was started again.
  if (piece.bytes < bytes) log.reading = { ...log.reading, window: EMPTY };
  const { window, following } = log.reading;
  if (piece.bytes < bytes || (following && piece.bytes - end(window) > BEHIND)) return loadEnd(log);
  show(log, following ? joined(window, piece, log.layout) : { ...window, bytes: piece.bytes });
  await fill(log);
}

/** Serializes the work; a request in the meantime is served afterwards. */
async function runAlone(log: OpenLog, work: (log: OpenLog) => Promise<void>): Promise<void> {
  if (log.closed) return;
  if (log.busy) {
    log.missed = true;
    return;
  }
  log.busy = true;
  try {
    await work(log);
    while (log.missed && !log.closed) {
      log.missed = false;
      const { window, following } = log.reading;
      await (following && end(window) < window.bytes ? loadEnd(log) : fill(log));
    }
  } finally {
    log.busy = false;
  }
}

/** Follows the newest line exactly while it is visible. */
function updateFollowing(log: OpenLog): void {
  const view = log.viewport.look();
  const following = view.top >= bottomOf(log.reading.window, view) - view.row / 2;
  if (following !== log.reading.following) update(log, { following });
}

export function reader(source: Source, options: ReaderOptions): Reader {
  const reading: Reading = { window: EMPTY, following: true, known: false };
  const log: OpenLog = { ...options, source, reading, busy: false, missed: false, closed: false };
  return {
    reading: () => log.reading,
    moved: () => {
      updateFollowing(log);
      return runAlone(log, fill);
    },
    grown: () => runAlone(log, loadGrowth),
    toEnd: () => {
      update(log, { following: true });
      return runAlone(log, loadEnd);
    },
    lay: (layout) => {
      log.layout = layout;
      show(log, laidOut(log.reading.window, layout), true);
    },
    close: () => {
      log.closed = true;
    },
  };
}
