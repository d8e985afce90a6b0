// The port for logs that any machine can read, where several share a store. Bounded: of a long log the middle is left out.

export interface LogPiece {
  /** Where in the log it begins. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Who has a log, and writes to it. */
export interface LogSource {
  /** Its path in the folder of the run, with `/`. */
  readonly file: string;
  /** The state folder (host and path) that has the log itself. */
  readonly origin: string;
  /** The last event of the run when its driver began: whoever began later has the say. */
  readonly since: number;
}

export interface KeptLog {
  readonly file: string;
  readonly origin: string;
  /** How long the log is, what was left out included. */
  readonly bytes: number;
}

export interface SharedLogs {
  /**
   * More of a log. The pieces, in order, take the place of all that was kept from the first of them on, so that the same
   * ones may be sent again and a log that was written anew begins at 0. What another origin kept of it is dropped: that
   * iteration was done again. False, and nothing is kept, when the log has somebody who began later.
   */
  keep(run: string, log: LogSource, pieces: readonly LogPiece[]): Promise<boolean>;
  list(run: string): Promise<readonly KeptLog[]>;
  /** What is kept of it from there on, in order; a gap is where something was left out. */
  read(run: string, file: string, from: number): Promise<readonly LogPiece[]>;
}

/** Of one log at least this much is kept: how it began, which says what was done, and its end, which says how it went. */
export const LOG_HEAD_BYTES = 1_048_576;
export const LOG_TAIL_BYTES = 1_048_576;
/** Of one run; with more, the oldest go. An iteration has about five, and people look at the newest. */
export const MOST_LOGS = 1_000;
