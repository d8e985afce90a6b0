// What each thing costs that workers ask of Postgres: processor time of the server, bytes of its log, and time under the lock.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { postgres } from "../../dist/stores/postgres/postgres-store.js";
import { LOCK_CLASS } from "../../dist/stores/postgres/schema.js";
import { EVENT_BYTES, LOG_PIECE_BYTES, PACK_BYTES } from "./constants.mjs";
import { serverSeconds, walBytes } from "./server.mjs";

/** Of one call: milliseconds of processor, bytes of the log, milliseconds until the answer. */
async function costOf(server, calls, work) {
  for (let at = 0; at < Math.min(50, calls); at++) await work(at);
  const [seconds, bytes, began] = [serverSeconds(server), await walBytes(server), performance.now()];
  for (let at = 0; at < calls; at++) await work(at);
  const took = performance.now() - began;
  return {
    cpuMs: (serverSeconds(server) - seconds) * (1_000 / calls),
    walBytes: ((await walBytes(server)) - bytes) / calls,
    answerMs: took / calls,
  };
}

const bytesOf = (size) => Buffer.from(Array.from({ length: size }, () => Math.floor(Math.random() * 256)));

function appending(store) {
  const run = randomUUID();
  let seq = 0;
  return async () => {
    const event = {
      type: "iteration.started",
      v: 1,
      run,
      seq: seq + 1,
      time: "",
      prompt: bytesOf(EVENT_BYTES).toString("hex").slice(0, EVENT_BYTES),
    };
    await store.append(run, seq, [event]);
    seq++;
  };
}

/** A table like those of logs and packs: rows of bytes, with a key. */
async function bytesTable({ ask }) {
  await ask("CREATE TABLE bench_bytes (run text, at bigint, bytes bytea, PRIMARY KEY (run, at))");
  return (size) => {
    const bytes = bytesOf(size);
    const run = randomUUID();
    let at = 0;
    return () => ask("INSERT INTO bench_bytes VALUES ($1, $2, $3)", [run, ++at, bytes]);
  };
}

// As DBOS asks, for one look of a worker with a free place at a queue that has nothing for it.
async function dequeue({ ask }) {
  await ask("BEGIN");
  await ask(
    "SELECT version_name FROM converge_queue.application_versions WHERE application_name = ANY($1) OR application_name IS NULL ORDER BY version_timestamp DESC LIMIT 1",
    [["converge"]],
  );
  await ask(
    "SELECT workflow_uuid FROM converge_queue.workflow_status WHERE status = $1 AND queue_name = $2 AND application_version = $3 ORDER BY priority, created_at LIMIT 8 FOR UPDATE SKIP LOCKED",
    ["ENQUEUED", "nothing", "1"],
  );
  await ask("COMMIT");
}

// What DBOS does every second besides: delayed entries, the list of queues, schedules.
async function housekeeping({ ask }) {
  await ask(
    "UPDATE converge_queue.workflow_status SET status = 'ENQUEUED' WHERE status = 'DELAYED' AND delay_until_epoch_ms <= $1",
    [0],
  );
  await ask("SELECT * FROM converge_queue.queues");
  await ask("SELECT * FROM converge_queue.workflow_schedules");
}

/** So many workers are there, and so many runs are theirs. */
async function crowd({ ask, url }, workers, runs) {
  // Without a limit nothing is counted, and nobody waits for anybody.
  await ask("UPDATE converge.capacity SET total = 1000000");
  await ask("TRUNCATE converge.claims");
  await ask("DELETE FROM converge.members");
  const facts = JSON.stringify({ labels: [], concurrency: 8, version: "1" });
  await ask(
    "INSERT INTO converge.members (number, host, pid, home, worker) OVERRIDING SYSTEM VALUE SELECT n, 'host', n, '/home', $2 FROM generate_series(1000000, 999999 + $1::integer) n",
    [workers, facts],
  );
  await ask(
    "INSERT INTO converge.claims (run, member, repository, agent) SELECT 'filler' || n, 1000000 + n % $1::integer, 'repository' || n % 50, 'claude' FROM generate_series(1, $2::integer) n",
    [workers, runs],
  );
  await ask("ANALYZE converge.members");
  await ask("ANALYZE converge.claims");
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  await session.query(
    `SELECT pg_advisory_lock(${LOCK_CLASS}, n) FROM generate_series(1000000, 999999 + ${workers}) n`,
  );
  return session;
}

/** Several at once, all for the one lock: how long each has it, the wait for the disk included. */
async function claimsAtOnce(stores, each) {
  const began = performance.now();
  await Promise.all(
    stores.map(async ({ presence }) => {
      for (let at = 0; at < each; at++)
        await presence.claim(randomUUID(), {
          home: "/bench",
          kinds: { repository: "repository1", agent: "claude" },
        });
    }),
  );
  return (performance.now() - began) / (stores.length * each);
}

async function ofCrowd(server, workers, runs) {
  const session = await crowd(server, workers, runs);
  const stores = Array.from({ length: 4 }, () => postgres(server.url));
  const [{ presence }] = stores;
  const kinds = { repository: "repository1", agent: "claude" };
  const look = await costOf(server, 200, () => presence.workers());
  const claim = await costOf(server, 100, () => presence.claim(randomUUID(), { home: "/bench", kinds }));
  const lockMs = await claimsAtOnce(stores, 50);
  for (const store of stores) await store.close();
  await session.end();
  return { workers, runs, look, claim, lockMs };
}

/** `crowds` are numbers of runs; `perWorker` of them are one worker's. */
export async function measure(server, crowds, perWorker) {
  const store = postgres(server.url);
  const insert = await bytesTable(server);
  const inbox = async () => void (await store.inbox("nothing", 0));
  const costs = {
    inbox: await costOf(server, 3_000, inbox),
    beat: await costOf(server, 3_000, () => server.ask("SELECT")),
    append: await costOf(server, 1_000, appending(store)),
    logPiece: await costOf(server, 500, insert(LOG_PIECE_BYTES)),
    pack: await costOf(server, 200, insert(PACK_BYTES)),
    dequeue: await costOf(server, 1_500, () => dequeue(server)),
    housekeeping: await costOf(server, 1_500, () => housekeeping(server)),
  };
  await store.close();
  const of = [];
  for (const runs of crowds) of.push(await ofCrowd(server, Math.ceil(runs / perWorker), runs));
  // What an answer takes longer when something was written, without the processor's part.
  const flushMs = costs.logPiece.answerMs - costs.logPiece.cpuMs - (costs.beat.answerMs - costs.beat.cpuMs);
  return { ...costs, crowds: of, flushMs: Math.max(0.1, flushMs) };
}
