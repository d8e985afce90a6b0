// Process liveness: one Postgres session with a heartbeat and an advisory lock. The server ends the session when the process
// dies, hangs or is cut off. A process that reconnects in time continues; otherwise it learns that its runs may be taken.
import { createRequire } from "node:module";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { Membership, WorkerFacts } from "#spec/presence";
import { explainError, isTransient } from "./database-errors.ts";
import { LOCK_CLASS } from "./tables/presence.ts";

const HEARTBEAT_MS = 1_000;
/** idle_session_timeout: the server ends a session that is silent for so long, because its process hangs or is cut off. */
const IDLE_SESSION_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 3_000;
/** How long a process may be disconnected before it stops its runs; a server restart takes less. */
const LOST_MS = 15_000;
/** Timeout of the first connection: a wrong address must be reported soon. */
const FIRST_CONNECT_MS = 5_000;
const RETRY_PAUSE_MS = 100;

const JOIN =
  "INSERT INTO converge.members (host, pid, home, worker) VALUES ($1, $2, $3, $4) RETURNING number";
// Ends an earlier session of this process that the server still takes for alive and that holds our lock.
const TERMINATE_LOCK_HOLDER = `
  SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS}
    AND objid = $1::integer::oid AND objsubid = 2 AND granted AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const LOCK = `SELECT pg_try_advisory_lock(${LOCK_CLASS}, $1) AS held`;
const IS_MEMBER = "SELECT FROM converge.members WHERE number = $1";
const LEAVE = "DELETE FROM converge.members WHERE number = $1";
// Deletes dead members without claims: nobody needs to take over their runs.
const DELETE_DEAD = `
  DELETE FROM converge.members WHERE worker IS NULL AND since < now() - interval '1 hour'
    AND number NOT IN (SELECT member FROM converge.here)`;

export interface Target {
  readonly url: string;
  /** Address of the server, for messages. */
  readonly place: string;
  /** Creates or migrates the tables. */
  ready(): Promise<unknown>;
}

export interface Identity {
  readonly home: string;
  readonly worker?: WorkerFacts;
  /** Called after a reconnect: other members may have taken our claims. */
  readonly onReconnect: (member: number) => Promise<void>;
}

const require = createRequire(import.meta.url);

/** pg's type definitions leave these out. */
interface MemberClient extends Client {
  ref(): void;
  unref(): void;
}

async function connect(url: string, onEnd: (client: MemberClient) => void): Promise<MemberClient> {
  const pg = require("pg") as typeof import("pg");
  const client = new pg.Client({
    connectionString: url,
    application_name: "converge member",
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  }) as MemberClient;
  client.on("error", () => {});
  client.on("end", () => onEnd(client));
  await client.connect();
  await client.query(`SET idle_session_timeout = ${IDLE_SESSION_TIMEOUT_MS}`);
  return client;
}

async function lockAs(client: Client, member: number): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(LOCK, [member]);
  if (rows[0]?.held) return true;
  await client.query(TERMINATE_LOCK_HOLDER, [member]);
  return false;
}

/** Thrown when another member declared this one dead meanwhile. */
class DeclaredDeadError extends Error {}

export async function joinAs({ url, place, ready }: Target, who: Identity): Promise<Membership> {
  const lost = new AbortController();
  const leaving = new AbortController();
  let member: number | undefined;
  let client: MemberClient | undefined;
  let wakeUp = new AbortController();
  let lastContact = performance.now();

  const openSession = async (): Promise<void> => {
    // A closed connection triggers the next heartbeat at once.
    client = await connect(url, (ended) => ended === client && wakeUp.abort());
    if (member === undefined) {
      await client.query(DELETE_DEAD);
      const row = [os.hostname(), process.pid, who.home, who.worker ? JSON.stringify(who.worker) : null];
      member = (await client.query<{ number: number }>(JOIN, row)).rows[0]?.number;
      if (member === undefined) throw new Error("a new member got no number");
      await lockAs(client, member);
      return;
    }
    while (!(await lockAs(client, member))) await sleep(RETRY_PAUSE_MS);
    if ((await client.query(IS_MEMBER, [member])).rowCount === 0) throw new DeclaredDeadError();
    await who.onReconnect(member);
  };

  const closeSession = async () => {
    const old = client;
    client = undefined;
    await old?.end().catch(() => {});
  };

  /** Retries until the session is established or the timeout has passed. */
  const openSessionWithRetries = async (timeoutMs: number): Promise<void> => {
    for (;;) {
      try {
        await openSession();
        lastContact = performance.now();
        // The session must not keep an idle process alive, unless it is about to leave.
        if (!leaving.signal.aborted) client?.unref();
        return;
      } catch (error) {
        void closeSession();
        if (leaving.signal.aborted) return;
        if (
          error instanceof DeclaredDeadError ||
          !isTransient(error) ||
          performance.now() - lastContact > timeoutMs
        )
          throw error;
        await sleep(RETRY_PAUSE_MS * (0.5 + Math.random()));
      }
    }
  };

  const heartbeat = async (): Promise<void> => {
    try {
      if (!client) throw new Error("not connected");
      await client.query("SELECT");
      lastContact = performance.now();
    } catch {
      void closeSession();
      if (!leaving.signal.aborted) await openSessionWithRetries(LOST_MS);
    }
  };

  const heartbeatLoop = async () => {
    while (!leaving.signal.aborted) {
      wakeUp = new AbortController();
      await heartbeat();
      const signal = AbortSignal.any([wakeUp.signal, leaving.signal]);
      await sleep(HEARTBEAT_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  };

  await ready();
  await openSessionWithRetries(FIRST_CONNECT_MS).catch((error: unknown) => {
    throw explainError(place, error);
  });
  // A reconnect attempt that hangs longer than LOST_MS counts as lost.
  const watchdog = setInterval(() => {
    if (performance.now() - lastContact > LOST_MS) lost.abort();
  }, HEARTBEAT_MS);
  watchdog.unref();
  const loop = heartbeatLoop().catch(() => lost.abort());
  lost.signal.addEventListener("abort", () => {
    clearInterval(watchdog);
    leaving.abort();
    void closeSession();
  });

  return {
    get member() {
      return member as number;
    },
    lost: lost.signal,
    leave: async () => {
      clearInterval(watchdog);
      leaving.abort();
      client?.ref();
      await loop;
      await client?.query(LEAVE, [member]).catch(() => {});
      await closeSession();
    },
  };
}
