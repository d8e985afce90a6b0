// Stores logs in Postgres as rows of bytes by offset. Each operation is one idempotent statement, so it can be retried.
import {
  type KeptLog,
  LOG_HEAD_BYTES,
  LOG_TAIL_BYTES,
  type LogPiece,
  MOST_LOGS,
  type SharedLogs,
} from "#spec/shared-logs";
import type { Connection } from "./connection.ts";

/** Row size: a row is read and written as a whole. */
const ROW_BYTES = 65_536;

/**
 * A writer that started later owns the log, and older writers are ignored. A new log evicts the oldest one above the limit.
 * A retry writes the same bytes; a row that overlaps the first new one is cut when it is read.
 */
const KEEP = `
  WITH kept AS (
    INSERT INTO converge.logs (run, file, origin, since, bytes) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (run, file) DO UPDATE SET origin = excluded.origin, since = excluded.since, bytes = excluded.bytes
      WHERE logs.since <= excluded.since
    RETURNING run
  ), oldest AS (
    SELECT number FROM converge.logs WHERE run = $1 ORDER BY number DESC OFFSET ${MOST_LOGS - 1} LIMIT 1
  ), removed AS (
    DELETE FROM converge.logs WHERE run = $1 AND number <= (SELECT number FROM oldest)
      AND NOT EXISTS (SELECT FROM converge.logs WHERE run = $1 AND file = $2)
  ), dropped AS (
    DELETE FROM converge.log_pieces WHERE run = $1 AND file = $2 AND EXISTS (SELECT FROM kept) AND at <> ALL ($6::bigint[])
      AND (origin <> $3 OR at >= $7
        OR (at >= ${LOG_HEAD_BYTES} AND at + length(bytes) <= $5::bigint - ${LOG_TAIL_BYTES}))
  ), written AS (
    INSERT INTO converge.log_pieces (run, file, origin, at, bytes)
    SELECT $1, $2, $3, added.* FROM unnest($6::bigint[], $8::bytea[]) AS added WHERE EXISTS (SELECT FROM kept)
    ON CONFLICT (run, file, at) DO UPDATE SET origin = excluded.origin, bytes = excluded.bytes
  )
  SELECT FROM kept`;

const LIST = "SELECT file, origin, bytes FROM converge.logs WHERE run = $1 ORDER BY number";

const READ = `
  SELECT at, pieces.bytes FROM converge.log_pieces AS pieces JOIN converge.logs USING (run, file, origin)
  WHERE run = $1 AND file = $2 AND at > $3::bigint - ${ROW_BYTES} AND at + length(pieces.bytes) > $3 ORDER BY at`;

const endOf = ({ at, bytes }: LogPiece) => at + bytes.length;

function splitIntoRows({ at, bytes }: LogPiece): LogPiece[] {
  return Array.from({ length: Math.ceil(bytes.length / ROW_BYTES) }, (_, index) => ({
    at: at + index * ROW_BYTES,
    bytes: bytes.subarray(index * ROW_BYTES, (index + 1) * ROW_BYTES),
  }));
}

/** Returns the part of the piece after `from` and before the next piece. */
function trimOverlap(piece: LogPiece, from: number, next: LogPiece | undefined): LogPiece {
  const at = Math.max(from, piece.at);
  const end = Math.min(endOf(piece), next?.at ?? Number.POSITIVE_INFINITY);
  return { at, bytes: piece.bytes.subarray(at - piece.at, end - piece.at) };
}

export function logsIn({ use }: Connection): SharedLogs {
  return {
    keep: async (run, { file, origin, since }, pieces) => {
      const all = pieces.flatMap(splitIntoRows);
      const [first] = all;
      if (!first) return true;
      const end = Math.max(...all.map(endOf));
      const rows = all.filter((row) => row.at < LOG_HEAD_BYTES || endOf(row) > end - LOG_TAIL_BYTES);
      const offsets = rows.map(({ at }) => at);
      const bytes = rows.map((row) => row.bytes);
      const values = [run, file, origin, since, end, offsets, first.at, bytes];
      return (await use((query) => query(KEEP, values))).length > 0;
    },
    list: async (run) => {
      const rows = await use((query) => query<KeptLog & { bytes: string }>(LIST, [run]));
      return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
    },
    read: async (run, file, from) => {
      const rows = await use((query) =>
        query<{ at: string; bytes: Buffer }>(READ, [run, file, Math.max(0, from)]),
      );
      const pieces = rows.map(({ at, bytes }) => ({ at: Number(at), bytes }));
      return pieces.map((piece, index) => trimOverlap(piece, from, pieces[index + 1]));
    },
  };
}
