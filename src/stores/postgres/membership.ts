// Process liveness: one Postgres session with a heartbeat and an advisory lock. The server ends the session when the process
// dies, hangs or is cut off. A process that reconnects in time continues; otherwise it learns that its runs may be taken.
import { createRequire } from "node:module";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { Membership, WorkerFacts } from "#spec/presence";
import { explainError, isTransient } from "./database-errors.ts";
import { LOCK_CLASS } from "./schema.ts";

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

interface Target {
  readonly url: string;
  /** Address of the server, for messages. */
  readonly place: string;
  /** Creates or migrates the tables. */
  ready(): Promise<unknown>;
}

interface Identity {
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

/** The session of this process. */
interface Session {
  readonly target: Target;
  readonly identity: Identity;
  /** Aborted when the membership is lost. */
  readonly lost: AbortController;
  readonly leaving: AbortController;
  member: number | undefined;
  client: MemberClient | undefined;
  /** Triggers the next heartbeat at once. */
  wakeUp: AbortController;
  lastContact: number;
}

async function insertMember(client: Client, { home, worker }: Identity): Promise<number> {
  await client.query(DELETE_DEAD);
  const row = [os.hostname(), process.pid, home, worker ? JSON.stringify(worker) : null];
  const member = (await client.query<{ number: number }>(JOIN, row)).rows[0]?.number;
  if (member === undefined) throw new Error("a new member got no number");
  return member;
}

async function openSession(session: Session): Promise<void> {
  const { identity, target } = session;
  const client = await connect(target.url, (ended) => ended === session.client && session.wakeUp.abort());
  session.client = client;
  if (session.member === undefined) {
    session.member = await insertMember(client, identity);
    await lockAs(client, session.member);
    return;
  }
  while (!(await lockAs(client, session.member))) await sleep(RETRY_PAUSE_MS);
  if ((await client.query(IS_MEMBER, [session.member])).rowCount === 0) throw new DeclaredDeadError();
  await identity.onReconnect(session.member);
}

async function closeSession(session: Session): Promise<void> {
  const { client } = session;
  session.client = undefined;
  await client?.end().catch(() => {});
}

/** Retries until the session is established or the timeout has passed. */
async function openSessionWithRetries(session: Session, timeoutMs: number): Promise<void> {
  const { leaving } = session;
  for (;;) {
    try {
      await openSession(session);
      session.lastContact = performance.now();
      // The session must not keep an idle process alive, unless it is about to leave.
      if (!leaving.signal.aborted) session.client?.unref();
      return;
    } catch (error) {
      void closeSession(session);
      if (leaving.signal.aborted) return;
      if (
        error instanceof DeclaredDeadError ||
        !isTransient(error) ||
        performance.now() - session.lastContact > timeoutMs
      )
        throw error;
      await sleep(RETRY_PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

async function heartbeat(session: Session): Promise<void> {
  try {
    if (!session.client) throw new Error("not connected");
    await session.client.query("SELECT");
    session.lastContact = performance.now();
  } catch {
    void closeSession(session);
    if (!session.leaving.signal.aborted) await openSessionWithRetries(session, LOST_MS);
  }
}

async function heartbeatLoop(session: Session): Promise<void> {
  const { leaving } = session;
  while (!leaving.signal.aborted) {
    session.wakeUp = new AbortController();
    await heartbeat(session);
    const signal = AbortSignal.any([session.wakeUp.signal, leaving.signal]);
    await sleep(HEARTBEAT_MS, undefined, { ref: false, signal }).catch(() => {});
  }
}

/** Gives up the membership after LOST_MS without contact, also while a reconnect attempt hangs. */
function startWatchdog(session: Session): NodeJS.Timeout {
  const watchdog = setInterval(() => {
    if (performance.now() - session.lastContact > LOST_MS) session.lost.abort();
  }, HEARTBEAT_MS);
  return watchdog.unref();
}

export async function joinAs(target: Target, identity: Identity): Promise<Membership> {
  const [lost, leaving] = [new AbortController(), new AbortController()];
  const session: Session = {
    ...{ target, identity, lost, leaving },
    member: undefined,
    client: undefined,
    wakeUp: new AbortController(),
    lastContact: performance.now(),
  };
  await target.ready();
  await openSessionWithRetries(session, FIRST_CONNECT_MS).catch((error: unknown) => {
    throw explainError(target.place, error);
  });
  const watchdog = startWatchdog(session);
  const loop = heartbeatLoop(session).catch(() => lost.abort());
  lost.signal.addEventListener("abort", () => {
    clearInterval(watchdog);
    leaving.abort();
    void closeSession(session);
  });
  return {
    get member() {
      return session.member as number;
    },
    lost: lost.signal,
    leave: async () => {
      clearInterval(watchdog);
      leaving.abort();
      session.client?.ref();
      await loop;
      await session.client?.query(LEAVE, [session.member]).catch(() => {});
      await closeSession(session);
    },
  };
}
