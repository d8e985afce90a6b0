// Postgres connection pool: connects lazily, and retries with backoff for a bounded time when a connection breaks.
import { createRequire } from "node:module";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase, Pool } from "pg";
import { backoffMs } from "#rules/backoff";
import { UsageError } from "#spec/errors";
import { plain } from "#text/plain-text";
import { explainError, isTransient } from "./database-errors.ts";
import { migrateIfNeeded } from "./schema.ts";

export type Query = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>;

export interface Connection {
  /** Address of the server, for messages. */
  readonly place: string;
  /**
   * Runs the work, and retries it from the start when the connection breaks. On a retry `isRetry` is true: the first
   * attempt may have committed with only its answer lost. Errors thrown in the end have a message for users.
   */
  use<T>(work: (query: Query, isRetry: boolean) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** One connection writes, one polls for commands, and lists of runs are read in parallel. */
const MAX_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter than the client's timeout, so that nothing still runs on the server when the client retries. */
const STATEMENT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 12_000;
/** Long enough for a server restart. Before the first connection, a wrong address is more likely than an outage. */
const RETRY_MS = 30_000;
const FIRST_RETRY_MS = 5_000;
/** Jitter, so that clients do not all reconnect at once when the server returns. */
const BACKOFF = { firstMs: 50, maxMs: 1_000, jitter: 0.5 };

/** Makes acknowledged commits durable even when the server or role turns that off; a stricter setting stays. */
const SETTINGS = `
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS};
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

const require = createRequire(import.meta.url);

function poolFor(url: string, initSession: (client: ClientBase) => Promise<void>): Pool {
  // Loaded lazily: users of SQLite do not pay for it.
  const pg = require("pg") as typeof import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "converge",
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    // Lets a finished command exit, although the store was not closed.
    allowExitOnIdle: true,
    onConnect: initSession,
  });
  // An idle connection broke: the pool replaces it.
  pool.on("error", () => {});
  return pool;
}

const EXPECTED_URL = "expected postgres://USER:PASSWORD@HOST:PORT/DATABASE";

function parseUrl(url: string): URL {
  // Error messages do not quote the URL: it may contain the password.
  if (!URL.canParse(url)) throw new UsageError(`the database URL is not valid; ${EXPECTED_URL}`);
  const { protocol } = new URL(url);
  if (/^postgres(ql)?:$/.test(protocol)) return new URL(url);
  throw new UsageError(`the database URL begins with ${plain(protocol)}; ${EXPECTED_URL}`);
}

/**
 * Formats a database URL for messages: host, user and database, never the password. Parts missing in the URL come from PGHOST, PGUSER and so on, as in every
 * Postgres client.
 */
function addressOf(url: string, env: NodeJS.ProcessEnv = process.env): string {
  const { hostname, port, username, pathname, searchParams } = parseUrl(url);
  try {
    const host = searchParams.get("host") || hostname || env.PGHOST || "localhost";
    const user = decodeURIComponent(username) || env.PGUSER || os.userInfo().username;
    const database = decodeURIComponent(pathname.slice(1)) || env.PGDATABASE || user;
    return plain(`${host}:${port || env.PGPORT || 5432} as ${user}, database ${database}`);
  } catch {
    throw new UsageError(`the database URL has a % that is not an escape (write %25); ${EXPECTED_URL}`);
  }
}

export function connectionTo(url: string): Connection {
  const place = `Postgres at ${addressOf(url)}`;
  let pool: Pool | undefined;
  let wasConnected = false;

  const initSession = async (client: ClientBase) => {
    // Between two queries nothing listens, and an unhandled "error" event would end the process.
    client.on("error", () => {});
    await client.query(SETTINGS);
    await migrateIfNeeded(client, place);
    wasConnected = true;
  };

  const runOnce = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    pool ??= poolFor(url, initSession);
    const client = await pool.connect();
    let isBroken = false;
    try {
      return await work(async (text, values) => (await client.query(text, [...values])).rows);
    } catch (error) {
      isBroken = isTransient(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };

  const use: Connection["use"] = async (work) => {
    const began = performance.now();
    for (let failures = 0; ; failures++) {
      try {
        return await runOnce((query) => work(query, failures > 0));
      } catch (error) {
        const retryMs = wasConnected ? RETRY_MS : FIRST_RETRY_MS;
        if (!isTransient(error) || performance.now() - began > retryMs) throw explainError(place, error);
      }
      await sleep(backoffMs(failures, BACKOFF));
    }
  };

  return { place, use, close: async () => pool?.end() };
}
