// Connections to Postgres: made when they are needed, and again when they broke, for a bounded time.
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase, Pool } from "pg";
import { explained, passes } from "./database-errors.ts";
import { addressOf } from "./database-url.ts";
import { upToDate } from "./schema.ts";

export type Query = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>;

export interface Connection {
  /** Where it leads, for people. */
  readonly place: string;
  /**
   * Does the work, and again from its beginning while connections break. `again` says so: what was asked for before may
   * have been done, only the answer was lost. Whatever is thrown in the end is for people.
   */
  use<T>(work: (query: Query, again: boolean) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** One writes, one looks for commands, and pages of runs are read side by side. */
const MOST_CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** The server gives up first, so that nothing goes on there which is tried again here. */
const STATEMENT_MS = 10_000;
const ANSWER_MS = 12_000;
/** A restart is ridden out. Whoever was never connected has the wrong address more often than a bad moment. */
const PATIENCE_MS = 30_000;
const FIRST_PATIENCE_MS = 5_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Durable when it is answered, also where the server or the role is set to less; a stricter setting stays. */
const SETTINGS = `
  SET statement_timeout = ${STATEMENT_MS};
  SET idle_in_transaction_session_timeout = ${STATEMENT_MS};
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

const require = createRequire(import.meta.url);

function poolFor(url: string, ready: (client: ClientBase) => Promise<void>): Pool {
  // Loaded here: whoever keeps runs in a file does not pay for it.
  const pg = require("pg") as typeof import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "converge",
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    // A command that has said all it has to say ends, although nobody closed the store.
    allowExitOnIdle: true,
    onConnect: ready,
  });
  // One that nobody uses just now broke: the next one to need it gets another.
  pool.on("error", () => {});
  return pool;
}

export function connectionTo(url: string): Connection {
  const place = `Postgres at ${addressOf(url)}`;
  let pool: Pool | undefined;
  let wasConnected = false;

  const ready = async (client: ClientBase) => {
    // Between two questions nobody listens, and an error without a listener would end the process.
    client.on("error", () => {});
    await client.query(SETTINGS);
    await upToDate(client, place);
    wasConnected = true;
  };

  const once = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    pool ??= poolFor(url, ready);
    const client = await pool.connect();
    let isBroken = false;
    try {
      return await work(async (text, values) => (await client.query(text, [...values])).rows);
    } catch (error) {
      isBroken = passes(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };

  const use: Connection["use"] = async (work) => {
    const began = performance.now();
    for (let failures = 0; ; failures++) {
      try {
        return await once((query) => work(query, failures > 0));
      } catch (error) {
        const patience = wasConnected ? PATIENCE_MS : FIRST_PATIENCE_MS;
        if (!passes(error) || performance.now() - began > patience) throw explained(place, error);
      }
      // Not all at the same moment, when a server comes back to many.
      const pause = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** failures);
      await sleep(pause * (0.5 + Math.random() / 2));
    }
  };

  return { place, use, close: async () => pool?.end() };
}
