// A Postgres with its statements counted and its processor time seen.
import fs from "node:fs";
import pg from "pg";
import { startPostgres } from "../postgres.mjs";

const SETTINGS = [
  "max_connections=500",
  "shared_buffers=512MB",
  "shared_preload_libraries=pg_stat_statements",
  "pg_stat_statements.track=all",
  "pg_stat_statements.max=10000",
  // What the bench writes is not interrupted by them.
  "checkpoint_timeout=1h",
  "max_wal_size=8GB",
  "autovacuum=off",
];

export async function startCounted() {
  const server = await startPostgres(SETTINGS);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("CREATE EXTENSION pg_stat_statements");
  const ask = async (text, values = []) => (await client.query(text, values)).rows;
  return {
    url: server.url,
    client,
    ask,
    dispose: async () => {
      await client.end();
      await server.dispose();
    },
  };
}

const TICKS_PER_SECOND = 100;

/** Its parent and its processor time in seconds: its own, and that of its children which have ended. */
function processOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "");
    const [, parent, ...fields] = stat.split(" ").map(Number);
    const [user, system, endedUser, endedSystem] = fields.slice(9, 13);
    return {
      parent,
      own: (user + system) / TICKS_PER_SECOND,
      ended: (endedUser + endedSystem) / TICKS_PER_SECOND,
    };
  } catch {
    // It ended meanwhile.
    return { parent: 0, own: 0, ended: 0 };
  }
}

/** Processor time of the whole server so far: of all sessions that are there, and of all that have ended. */
export function serverSeconds({ client }) {
  const { parent } = processOf(client.processID);
  const all = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const sessions = all.map(processOf).filter((one) => one.parent === parent);
  const { own, ended } = processOf(parent);
  return sessions.reduce((sum, session) => sum + session.own, own + ended);
}

/** Bytes of write-ahead log so far. */
export async function walBytes({ ask }) {
  const [{ bytes }] = await ask("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes");
  return Number(bytes);
}
