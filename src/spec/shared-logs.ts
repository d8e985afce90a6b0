// Port of logs shared between machines through the store. Bounded: the middle of a long log is dropped.

export interface LogPiece {
  /** Byte offset in the log. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A log and its writer. */
export interface LogSource {
  /** Path in the run's folder, with `/`. */
  readonly file: string;
  /** The state folder (host and path) with the original log. */
  readonly origin: string;
  /** The run's last event when its driver started: the driver that started later wins. */
  readonly since: number;
}

export interface KeptLog {
  readonly file: string;
  readonly origin: string;
  /** Length of the log, dropped bytes included. */
  readonly bytes: number;
}

export interface SharedLogs {
  /**
   * Appends to a log. The pieces, in order, replace everything stored from the offset of the first one on, so that a retry
   * is harmless and a rewritten log starts at 0. Pieces of another origin are deleted: that iteration ran again. Returns
   * false, and stores nothing, when the log belongs to a driver that started later.
   */
  keep(run: string, log: LogSource, pieces: readonly LogPiece[]): Promise<boolean>;
  list(run: string): Promise<readonly KeptLog[]>;
  /** The stored pieces from that offset on, in order; a gap means dropped bytes. */
  read(run: string, file: string, from: number): Promise<readonly LogPiece[]>;
}

/** Bytes kept of each log: its start, which shows what was done, and its end, which shows the result. */
export const LOG_HEAD_BYTES = 1_048_576;
export const LOG_TAIL_BYTES = 1_048_576;
/** Limit per run; the oldest logs are deleted. An iteration has about five, and people look at the newest. */
export const MOST_LOGS = 1_000;
