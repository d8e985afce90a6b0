// One session that says that this process is alive. The server ends it when the process dies, is stopped or is cut off;
// whoever comes back in time goes on, and whoever does not hears that its runs may be others' by now.
import { createRequire } from "node:module";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { Membership, WorkerFacts } from "#spec/presence";
import { explained, passes } from "./database-errors.ts";
import { LOCK_CLASS } from "./tables/presence.ts";

const BEAT_MS = 1_000;
/** The server ends a session that says nothing for so long: its process is stopped, or a cable is cut. */
const SILENT_MS = 5_000;
const ANSWER_MS = 3_000;
/** How long one may be without the database before it ends what it does; a restart takes less. */
const LOST_MS = 15_000;
/** Whoever never was there does not wait so long to be told that the address is wrong. */
const FIRST_MS = 5_000;
const PAUSE_MS = 100;

const JOIN =
  "INSERT INTO converge.members (host, pid, home, worker) VALUES ($1, $2, $3, $4) RETURNING number";
// An earlier session of ours, which the server has not noticed to be dead, must not keep us out.
const OUST = `
  SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS}
    AND objid = $1::integer::oid AND objsubid = 2 AND granted AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const LOCK = `SELECT pg_try_advisory_lock(${LOCK_CLASS}, $1) AS held`;
const IS_MEMBER = "SELECT FROM converge.members WHERE number = $1";
const LEAVE = "DELETE FROM converge.members WHERE number = $1";
// Those that left no work behind need no peer to look after it.
const TIDY = `
  DELETE FROM converge.members WHERE worker IS NULL AND since < now() - interval '1 hour'
    AND number NOT IN (SELECT member FROM converge.here)`;

export interface Place {
  readonly url: string;
  /** For people. */
  readonly place: string;
  /** Makes sure that the tables are there. */
  ready(): Promise<unknown>;
}

export interface Who {
  readonly home: string;
  readonly worker?: WorkerFacts;
  /** Called when it is there again after it was not: what was ours may be somebody else's. */
  readonly back: (member: number) => Promise<void>;
}

const require = createRequire(import.meta.url);

/** Its types leave this out. */
interface MemberClient extends Client {
  ref(): void;
  unref(): void;
}

async function connect(url: string, over: (client: MemberClient) => void): Promise<MemberClient> {
  const pg = require("pg") as typeof import("pg");
  const client = new pg.Client({
    connectionString: url,
    application_name: "converge member",
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  }) as MemberClient;
  client.on("error", () => {});
  client.on("end", () => over(client));
  await client.connect();
  await client.query(`SET idle_session_timeout = ${SILENT_MS}`);
  return client;
}

async function lockAs(client: Client, member: number): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(LOCK, [member]);
  if (rows[0]?.held) return true;
  await client.query(OUST, [member]);
  return false;
}

/** Thrown when it has been declared dead meanwhile. */
class BuriedError extends Error {}

export async function joinAs({ url, place, ready }: Place, who: Who): Promise<Membership> {
  const lost = new AbortController();
  const left = new AbortController();
  let member: number | undefined;
  let client: MemberClient | undefined;
  let early = new AbortController();
  let heard = performance.now();

  const enter = async (): Promise<void> => {
    // Who hears that the line is dead does not wait for the next beat.
    client = await connect(url, (ended) => ended === client && early.abort());
    if (member === undefined) {
      await client.query(TIDY);
      const row = [os.hostname(), process.pid, who.home, who.worker ? JSON.stringify(who.worker) : null];
      member = (await client.query<{ number: number }>(JOIN, row)).rows[0]?.number;
      if (member === undefined) throw new Error("a new member got no number");
      await lockAs(client, member);
      return;
    }
    while (!(await lockAs(client, member))) await sleep(PAUSE_MS);
    if ((await client.query(IS_MEMBER, [member])).rowCount === 0) throw new BuriedError();
    await who.back(member);
  };

  const leaveSession = async () => {
    const old = client;
    client = undefined;
    await old?.end().catch(() => {});
  };

  /** Until it is there, or it is too late. */
  const enterInTime = async (most: number): Promise<void> => {
    for (;;) {
      try {
        await enter();
        heard = performance.now();
        // Who has nothing else to do may end, unless it is about to say so.
        if (!left.signal.aborted) client?.unref();
        return;
      } catch (error) {
        void leaveSession();
        if (left.signal.aborted) return;
        if (error instanceof BuriedError || !passes(error) || performance.now() - heard > most) throw error;
        await sleep(PAUSE_MS * (0.5 + Math.random()));
      }
    }
  };

  const beat = async (): Promise<void> => {
    try {
      if (!client) throw new Error("not connected");
      await client.query("SELECT");
      heard = performance.now();
    } catch {
      void leaveSession();
      if (!left.signal.aborted) await enterInTime(LOST_MS);
    }
  };

  const live = async () => {
    while (!left.signal.aborted) {
      early = new AbortController();
      await beat();
      const signal = AbortSignal.any([early.signal, left.signal]);
      await sleep(BEAT_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  };

  await ready();
  await enterInTime(FIRST_MS).catch((error: unknown) => {
    throw explained(place, error);
  });
  // A try that hangs for longer than we may be away is as good as none.
  const watchdog = setInterval(() => {
    if (performance.now() - heard > LOST_MS) lost.abort();
  }, BEAT_MS);
  watchdog.unref();
  const over = live().catch(() => lost.abort());
  lost.signal.addEventListener("abort", () => {
    clearInterval(watchdog);
    left.abort();
    void leaveSession();
  });

  return {
    get member() {
      return member as number;
    },
    lost: lost.signal,
    leave: async () => {
      clearInterval(watchdog);
      left.abort();
      client?.ref();
      await over;
      await client?.query(LEAVE, [member]).catch(() => {});
      await leaveSession();
    },
  };
}
