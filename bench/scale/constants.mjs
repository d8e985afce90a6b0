// What the simulation takes from the code, and what it takes for granted about tasks. A number that is changed there is changed here.

/** Of the code; each with where it stands. */
export const CODE = {
  /** SHARED_INBOX_POLL_MS in src/runs/open-ports.ts: every driven run polls its inbox. */
  inboxMs: 1_000,
  /** HEARTBEAT_MS in src/stores/postgres/membership.ts. */
  beatMs: 1_000,
  /** POLL_MS in src/engine/peers.ts: every worker polls for its peers; with many workers less often (WORKERS_PER_POLL, MAX_FACTOR). */
  peersMs: 200,
  fewPeers: 4,
  mostSeldom: 25,
  /** POLL_MS in src/engine/queue.ts: every worker asks for work, each of its queues. */
  dequeueMs: 250,
  /** Every second in DBOS: delayed entries, the list of queues, schedules. */
  housekeepingMs: 1_000,
  /** STATEMENT_TIMEOUT_MS in src/stores/postgres/connection.ts. */
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
