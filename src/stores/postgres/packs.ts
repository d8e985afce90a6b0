// Snapshots in Postgres: packs of git objects, in pieces. What they say is for those to check who fetch them.
import { randomUUID } from "node:crypto";
import { TooLargeError, UsageError } from "#spec/errors";
import type { KeptPack, SharedPacks } from "#spec/shared-packs";
import type { Connection, Query } from "./connection.ts";
import { isTaken } from "./database-errors.ts";

const PIECE_BYTES = 1_048_576;
const MOST_BYTES = 256 * PIECE_BYTES;

const PIECE = `
  INSERT INTO converge.pack_pieces (key, at, run, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`;

// What writers that died have left goes with it: who is still at work a day later is told that its pack is not whole.
// Two that come at once meet at the primary key, where the second takes the next number.
const WHOLE = `
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

/** The same bytes in pieces of one size, the last one smaller. */
async function* inPieces(given: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of given) {
    held.push(Buffer.from(chunk));
    size += chunk.length;
    while (size >= PIECE_BYTES) {
      const all = Buffer.concat(held);
      yield all.subarray(0, PIECE_BYTES);
      held = [all.subarray(PIECE_BYTES)];
      size -= PIECE_BYTES;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}

/** True when it is kept now; false when another one took the number. */
async function keepOnce(query: Query, values: readonly unknown[], key: string): Promise<boolean> {
  // The answer to an earlier attempt may have been lost.
  if ((await query(IS_KEPT, [key])).length > 0) return true;
  try {
    if ((await query(WHOLE, values)).length > 0) return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  throw new UsageError(
    "the snapshots could not be kept: pieces of them are gone from the database; try again",
  );
}

async function writePieces(
  { use }: Connection,
  { run, key, most }: { readonly run: string; readonly key: string; readonly most: number },
  pack: AsyncIterable<Uint8Array>,
): Promise<{ readonly pieces: number; readonly bytes: number }> {
  let pieces = 0;
  let bytes = 0;
  for await (const piece of inPieces(pack)) {
    bytes += piece.length;
    if (bytes > most)
      throw new TooLargeError(
        `what is new in the snapshots of run ${run} is larger than ${most / PIECE_BYTES} MiB, which is the most that the database keeps at once; leave large files out with .gitignore, or name a repository for them: workspace.snapshots`,
      );
    const at = pieces++;
    await use((query) => query(PIECE, [key, at, run, piece]));
  }
  return { pieces, bytes };
}

/** `most` is how many bytes a pack may have. */
export function packsIn(connection: Connection, most = MOST_BYTES): SharedPacks {
  const { use } = connection;

  const keep: SharedPacks["keep"] = async (run, trees, pack) => {
    const key = randomUUID();
    try {
      const { pieces, bytes } = await writePieces(connection, { run, key, most }, pack);
      const values = [run, key, trees, bytes, pieces];
      while (!(await use((query) => keepOnce(query, values, key))));
    } catch (error) {
      // What went wrong first is what tells; should this fail too, the pieces go later.
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
      const [found] = await use((query) => query<{ key: string; bytes: string }>(FIND, [run, number]));
      if (!found) throw new UsageError(`run ${run} has no pack ${number} in ${connection.place}`);
      let left = Number(found.bytes);
      // Somebody else wrote that number: it must not fill a disk.
      if (left > MOST_BYTES)
        throw new UsageError(`pack ${number} of run ${run} is larger than any that is kept`);
      for (let at = 0; left > 0; at++) {
        const [piece] = await use((query) => query<{ bytes: Buffer }>(READ, [found.key, at]));
        left -= piece?.bytes.length ?? 0;
        if (!piece || piece.bytes.length === 0 || left < 0)
          throw new UsageError(`pack ${number} of run ${run} in ${connection.place} is not whole any more`);
        yield piece.bytes;
      }
    },
  };
}
