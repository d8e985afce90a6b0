// What the simulation takes from the code, and what it takes for granted about tasks. A number that is changed there is changed here.

/** Of the code; each with where it stands. */
export const CODE = {
  /** SHARED_LOOK_MS in src/runs/drive.ts: every run that is driven asks for a word to it. */
  inboxMs: 1_000,
  /** BEAT_MS in src/stores/postgres/membership.ts. */
  beatMs: 1_000,
  /** LOOK_MS in src/engine/peers.ts: every worker looks who is there; many of them less often (FEW, MOST_SELDOM there). */
  peersMs: 200,
  fewPeers: 4,
  mostSeldom: 25,
  /** POLL_MS in src/engine/queue.ts: every worker asks for work, each of its queues. */
  dequeueMs: 250,
  /** Every second in DBOS: delayed entries, the list of queues, schedules. */
  housekeepingMs: 1_000,
  /** STATEMENT_MS in src/stores/postgres/connection.ts: the server gives a statement up after so long. */
  statementMs: 10_000,
};

/** Of tasks: an agent that works for minutes, as coding agents do. */
export const TASKS = {
  runMs: 30 * 60_000,
  iterationMs: 5 * 60_000,
  /** While the agent writes. */
  logPieceEveryMs: 5_000,
  perWorker: 8,
};

export const EVENT_BYTES = 2_000;
export const LOG_PIECE_BYTES = 4_096;
/** What one iteration adds to the repository, compressed. */
export const PACK_BYTES = 65_536;
