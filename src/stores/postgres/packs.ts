// Stores snapshots in Postgres as chunked git packs. Callers verify the pack after fetching it.
import { randomUUID } from "node:crypto";
import { TooLargeError, UsageError } from "#spec/errors";
import type { KeptPack, SharedPacks } from "#spec/shared-packs";
import type { Connection, Query } from "./connection.ts";
import { isUniqueViolation } from "./database-errors.ts";

const PIECE_BYTES = 1_048_576;
const MAX_PACK_BYTES = 256 * PIECE_BYTES;

const INSERT_PIECE = `
  INSERT INTO converge.pack_pieces (key, at, run, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`;

// Also deletes pieces that dead writers left behind: a writer still busy a day later gets an error that pieces are missing.
// Two concurrent inserts collide at the primary key, and the loser retries with the next number.
const INSERT_PACK = `
  WITH swept AS (
    DELETE FROM converge.pack_pieces AS piece WHERE run = $1 AND since < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM converge.packs WHERE key = piece.key)
  )
  INSERT INTO converge.packs (run, number, key, trees, bytes)
  SELECT $1, coalesce((SELECT max(number) FROM converge.packs WHERE run = $1), 0) + 1, $2::uuid, $3, $4
  WHERE $5 = (SELECT count(*) FROM converge.pack_pieces WHERE key = $2::uuid)
  RETURNING number`;

const IS_KEPT = "SELECT FROM converge.packs WHERE key = $1";

const DROP = `DELETE FROM converge.pack_pieces WHERE key = $1 AND NOT EXISTS (${IS_KEPT})`;

const LIST = "SELECT number, trees, bytes FROM converge.packs WHERE run = $1 ORDER BY number";
const FIND = "SELECT key, bytes FROM converge.packs WHERE run = $1 AND number = $2";
const READ = "SELECT bytes FROM converge.pack_pieces WHERE key = $1 AND at = $2";

/** Regroups the bytes into pieces of one size; the last one may be smaller. */
async function* splitIntoPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    pending.push(Buffer.from(chunk));
    size += chunk.length;
    while (size >= PIECE_BYTES) {
      const all = Buffer.concat(pending);
      yield all.subarray(0, PIECE_BYTES);
      pending = [all.subarray(PIECE_BYTES)];
      size -= PIECE_BYTES;
    }
  }
  if (size > 0) yield Buffer.concat(pending);
}

/** Returns true when the pack is stored; false when another pack took the number. */
async function insertOnce(query: Query, values: readonly unknown[], key: string): Promise<boolean> {
  // The answer to an earlier attempt may be lost.
  if ((await query(IS_KEPT, [key])).length > 0) return true;
  try {
    if ((await query(INSERT_PACK, values)).length > 0) return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
  throw new UsageError("cannot store the snapshots: pieces of them are missing in the database; try again");
}

async function writePieces(
  { use }: Connection,
  { run, key, most }: { readonly run: string; readonly key: string; readonly most: number },
  pack: AsyncIterable<Uint8Array>,
): Promise<{ readonly pieces: number; readonly bytes: number }> {
  let pieces = 0;
  let bytes = 0;
  for await (const piece of splitIntoPieces(pack)) {
    bytes += piece.length;
    if (bytes > most)
      throw new TooLargeError(
        `the new files in the snapshots of run ${run} are larger than ${most / PIECE_BYTES} MiB, the limit of the database; exclude large files with .gitignore, or store snapshots in a repository: workspace.snapshots`,
      );
    const at = pieces++;
    await use((query) => query(INSERT_PIECE, [key, at, run, piece]));
  }
  return { pieces, bytes };
}

/** `most` limits the size of a pack in bytes. */
export function packsIn(connection: Connection, most = MAX_PACK_BYTES): SharedPacks {
  const { use } = connection;

  const keep: SharedPacks["keep"] = async (run, trees, pack) => {
    const key = randomUUID();
    try {
      const { pieces, bytes } = await writePieces(connection, { run, key, most }, pack);
      const values = [run, key, trees, bytes, pieces];
      while (!(await use((query) => insertOnce(query, values, key))));
    } catch (error) {
      // Report the first error. Should the clean-up fail too, the pieces are deleted later.
      await use((query) => query(DROP, [key])).catch(() => {});
      throw error;
    }
  };

  return {
    keep,
    list: async (run) => {
      const rows = await use((query) => query<Omit<KeptPack, "bytes"> & { bytes: string }>(LIST, [run]));
      return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
    },
    read: async function* (run, number) {
      const [pack] = await use((query) => query<{ key: string; bytes: string }>(FIND, [run, number]));
      if (!pack) throw new UsageError(`run ${run} has no pack ${number} in ${connection.place}`);
      let left = Number(pack.bytes);
      // The stored size is not trusted: it must not make us fill the disk.
      if (left > MAX_PACK_BYTES)
        throw new UsageError(
          `pack ${number} of run ${run} is larger than the limit of ${MAX_PACK_BYTES / PIECE_BYTES} MiB`,
        );
      for (let at = 0; left > 0; at++) {
        const [piece] = await use((query) => query<{ bytes: Buffer }>(READ, [pack.key, at]));
        left -= piece?.bytes.length ?? 0;
        if (!piece || piece.bytes.length === 0 || left < 0)
          throw new UsageError(`pack ${number} of run ${run} in ${connection.place} is incomplete`);
        yield piece.bytes;
      }
    },
  };
}
