// The port for logs that any machine can read, where several share a store. Bounded: of a long log the middle is left out.

export interface LogPiece {
  /** Where in the log it begins. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

export interface KeptLog {
  /** Its path in the folder of the run, with `/`. */
  readonly file: string;
  /** The state folder (host and path) that has the log itself. */
  readonly origin: string;
  /** How long the log is, what was left out included. */
  readonly bytes: number;
}

export interface SharedLogs {
  /** More of a log. What another origin kept of it is dropped: that iteration was done again. */
  keep(
    run: string,
    log: { readonly file: string; readonly origin: string },
    pieces: readonly LogPiece[],
  ): Promise<void>;
  list(run: string): Promise<readonly KeptLog[]>;
  /** What is kept of it from there on, in order; a gap is where something was left out. */
  read(run: string, file: string, from: number): Promise<readonly LogPiece[]>;
}
