// Writes events and commands of a run. Each write is one atomic statement that can be retried when its answer is lost.
import { randomUUID } from "node:crypto";
import type { Command, Queued } from "#spec/command";
import { type Entry, link, origin, type Point } from "../chain.ts";
import type { Place } from "../places.ts";
import type { Connection, Query } from "./connection.ts";
import { isUniqueViolation } from "./database-errors.ts";

/**
 * Optimistic lock: nothing may come after the point, and its hash must be the one the writer knows. Two concurrent
 * writers collide at the primary key, where one wins.
 */
const APPEND = `
  WITH fits AS (
    SELECT 1 WHERE NOT EXISTS (SELECT FROM converge.events WHERE run = $1 AND seq > $2::integer)
      AND ($2::integer = 0 OR EXISTS (SELECT FROM converge.events WHERE run = $1 AND seq = $2::integer AND hash = $3))
  ), written AS (
    INSERT INTO converge.events (run, seq, body, hash)
    SELECT $1, added.* FROM unnest($4::integer[], $5::text[], $6::text[]) AS added WHERE EXISTS (SELECT FROM fits)
  ), listed AS (
    INSERT INTO converge.runs (id, workspace, started_at, heard)
    SELECT $1, $7::text, $8::text, $9::bigint WHERE $7::text IS NOT NULL AND EXISTS (SELECT FROM fits)
    ON CONFLICT DO NOTHING
  ), placed AS (
    INSERT INTO converge.places (run, dir, hash)
    SELECT $1, $10::text, $11::text WHERE $10::text IS NOT NULL AND EXISTS (SELECT FROM fits)
    ON CONFLICT (run) DO UPDATE SET dir = excluded.dir, hash = excluded.hash
  )
  SELECT FROM fits`;

const IS_THERE = "SELECT FROM converge.events WHERE run = $1 AND seq = $2 AND hash = $3";

const NEWEST_COMMAND = `
  SELECT (SELECT id FROM converge.commands WHERE key = $2) AS mine, newest.hash,
    greatest(newest.id, (SELECT heard FROM converge.runs WHERE id = $1), 0) + 1 AS next
  FROM (SELECT) AS one
  LEFT JOIN (SELECT id, hash FROM converge.commands WHERE run = $1 ORDER BY id DESC LIMIT 1) AS newest ON true`;

const SEND =
  "INSERT INTO converge.commands (run, id, key, body, hash) VALUES ($1, $2, $3, $4, $5) RETURNING id";

/** The row of a new run in the list of runs. */
export interface Listing {
  readonly workspace: string;
  readonly startedAt: string;
  /** The last command the run has read in another store. */
  readonly lastCommandId?: number;
  readonly place?: Place;
}

/** Returns false when a concurrent writer was first. */
async function isWritten(work: Promise<readonly object[]>): Promise<boolean> {
  try {
    return (await work).length > 0;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

interface AppendRequest {
  readonly run: string;
  /** The end of the chain before the entries. */
  readonly from: Point;
  readonly entries: readonly Entry[];
  /** Set when the run starts with these entries. */
  readonly listing?: Listing | undefined;
}

/** Returns whether the entries are stored, by this call. */
export function appendTo(
  { use }: Connection,
  { run, from, entries, listing }: AppendRequest,
): Promise<boolean> {
  const columns = (["seq", "body", "hash"] as const).map((name) => entries.map((entry) => entry[name]));
  const listed = [listing?.workspace, listing?.startedAt, listing?.lastCommandId ?? 0];
  const values = [run, from.seq, from.hash, ...columns, ...listed, listing?.place?.dir, listing?.place?.hash];
  const end = entries.at(-1);
  return use(async (query, isRetry) => {
    if (await isWritten(query(APPEND, values))) return true;
    // The answer to the first attempt may be lost; the hash proves that the stored event is ours.
    return isRetry && end !== undefined && (await query(IS_THERE, [run, end.seq, end.hash])).length > 0;
  });
}

interface CommandRow {
  readonly run: string;
  /** Tells a retried command from the same command sent twice. */
  readonly key: string;
  readonly body: string;
}

async function sendOnce(query: Query, { run, key, body }: CommandRow): Promise<number | undefined> {
  const [newest] = await query<{ mine: string | null; hash: string | null; next: string }>(NEWEST_COMMAND, [
    run,
    key,
  ]);
  if (!newest) throw new Error("a query for one row gave none");
  if (newest.mine !== null) return Number(newest.mine);
  const row = [run, newest.next, key, body, link(newest.hash ?? origin(run).hash, body)];
  return (await isWritten(query(SEND, row))) ? Number(newest.next) : undefined;
}

/** Command ids of a run are ascending. */
export function sendTo({ use }: Connection, run: string, command: Command): Promise<Queued> {
  const row = { run, key: randomUUID(), body: JSON.stringify(command) };
  return use(async (query) => {
    for (;;) {
      const id = await sendOnce(query, row);
      // A concurrent command took the id: retry with the next one.
      if (id !== undefined) return { id, command };
    }
  });
}
