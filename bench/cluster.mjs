// What a fleet of workers gets done, what of the time is the engine's, and how soon a peer goes on after a death. Side by side in
// one run, as one table. With CONVERGE_DATABASE_URL on that server, in a database of its own; otherwise on the Postgres from npm.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build, root, setUp } from "../scripts/set-up.mjs";
import { startPostgres } from "./postgres.mjs";

await setUp();
if (!(await build())) process.exit(1);

const { prepareTask } = await import("../dist/runs/prepare-task.js");
const { submitRun } = await import("../dist/runs/submit.js");
const { openWithQueue } = await import("../dist/cli/support/open-run.js");
const require = createRequire(import.meta.url);
const pg = require("pg");
const CLI = path.join(root, "bin", "converge.js");
const FLEETS = [1, 2, 4, 8];
const CONCURRENCY = 4;
const RUNS = 60;
const AGENT = "sleep 0.05";
const GATE = "true";
const KILLS = 20;
const STOPS = 5;

const place = fs.mkdtempSync(path.join(os.tmpdir(), "converge-bench-cluster-"));
const server = process.env.CONVERGE_DATABASE_URL
  ? { url: process.env.CONVERGE_DATABASE_URL, dispose: async () => {} }
  : await startPostgres(["max_connections=300"]);

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;

async function query(url, text, values = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

let databases = 0;
async function freshDatabase() {
  const name = `converge_bench_${process.pid}_${++databases}`;
  await query(server.url, `CREATE DATABASE ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => query(server.url, `DROP DATABASE ${name} WITH (FORCE)`) };
}

const environment = (home, url) => {
  const { CONVERGE_DATABASE_URL: _given, ...env } = process.env;
  const own = { CONVERGE_HOME: path.join(place, home), XDG_CONFIG_HOME: path.join(place, "config") };
  return { ...env, ...own, ...(url && { CONVERGE_DATABASE_URL: url }) };
};

/** A folder with a task in it; every run has its own, as people would have. */
function folder(name, agent) {
  const dir = path.join(place, "folders", name);
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, "README.md"), "Something to work on.\n");
  const task = {
    prompt: "Work.",
    agent: { type: "command", command: agent },
    gates: [GATE],
    isolation: "off",
  };
  const rest = { baseline: false, strategy: { type: "fixed", iterations: 1 } };
  fs.writeFileSync(path.join(dir, "converge.yaml"), JSON.stringify({ ...task, ...rest }));
  return dir;
}

/** `work` for each of the items, so many at once. */
async function atOnce(items, most, work) {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: most }, lane));
}

async function ended(child) {
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`expected exit 0, got ${code}`);
}

const converge = (args, cwd, env) => spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: "ignore" });

async function startWorker(name, url, concurrency = CONCURRENCY) {
  const child = spawn(process.execPath, [CLI, "worker", "--concurrency", String(concurrency)], {
    env: environment(name, url),
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.setEncoding("utf8");
  for await (const text of child.stderr.iterator({ destroyOnReturn: false }))
    if (text.includes("is ready for")) break;
  child.stderr.resume();
  return child;
}

async function stopAll(workers) {
  const over = workers.map((worker) => once(worker, "exit"));
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all(over);
}

const ENDED =
  'SELECT count(*)::integer AS count FROM converge.events WHERE body LIKE \'%"type":"run.ended"%\'';

/** Gives a run for each of the folders to the workers. */
async function submit(url, dirs, startAt) {
  const env = environment("desk", url);
  const app = await openWithQueue(env);
  const wish = { priority: 5, labels: [], ...(startAt && { startAt }) };
  const runs = [];
  for (const dir of dirs) {
    const read = await prepareTask({ file: path.join(dir, "converge.yaml"), cwd: dir }, { env });
    runs.push(await submitRun(app, read, { wish, warn: () => {} }));
  }
  await app.queue.close();
  await app.store.close();
  return runs;
}

/** How long the fleet takes for all the runs, which wait in the queue when it begins. */
async function byFleet(size) {
  const { url, drop } = await freshDatabase();
  const dirs = Array.from({ length: RUNS }, (_, at) => folder(`run-${at}`, AGENT));
  await submit(url, dirs, new Date(Date.now() + 3_600_000).toISOString());
  const workers = await Promise.all(
    Array.from({ length: size }, (_, at) => startWorker(`worker-${at}`, url)),
  );
  const began = performance.now();
  await query(
    url,
    "UPDATE converge_queue.workflow_status SET status = 'ENQUEUED', delay_until_epoch_ms = NULL",
  );
  while ((await query(url, ENDED))[0].count < RUNS) await sleep(50);
  const took = performance.now() - began;
  await stopAll(workers);
  await drop();
  return took;
}

/** The same runs, each by a `converge run` of its own, so many at once as the fleet drives. */
async function byHand(most) {
  const dirs = Array.from({ length: RUNS }, (_, at) => folder(`run-${at}`, AGENT));
  const began = performance.now();
  await atOnce(dirs, most, (dir) => ended(converge(["run", "--json"], dir, environment("by-hand"))));
  return performance.now() - began;
}

/** Nothing but the agent and the gate. */
async function plainly(most) {
  const began = performance.now();
  const runs = Array.from({ length: RUNS }, (_, at) => at);
  await atOnce(runs, most, () => ended(spawn("/bin/sh", ["-c", `${AGENT} && ${GATE}`], { stdio: "ignore" })));
  return performance.now() - began;
}

const LAST =
  "SELECT body::json->>'type' AS type, seq FROM converge.events WHERE run = $1 ORDER BY seq DESC LIMIT 1";
const DRIVER = `SELECT m.pid FROM converge.claims c JOIN converge.members m ON m.number = c.member WHERE c.run = $1`;

/** From the signal until the run is resumed by another worker. */
async function takeovers(signal, times) {
  const { url, drop } = await freshDatabase();
  const dir = folder("endless", "sleep 600");
  const [run] = await submit(url, [dir]);
  let started = 0;
  const workers = new Map();
  const another = async () => {
    const worker = await startWorker(`taker-${++started}`, url, 1);
    workers.set(worker.pid, worker);
  };
  await Promise.all([another(), another()]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ask = async (text) => (await client.query(text, [run])).rows[0];
  const waits = [];
  for (let time = 0; time < times; time++) {
    while (
      (await ask(LAST))?.type !== "iteration.started" &&
      (await ask(LAST))?.type !== "iteration.interrupted"
    )
      await sleep(20);
    const { pid } = await ask(DRIVER);
    const { seq } = await ask(LAST);
    const began = performance.now();
    workers.get(pid).kill(signal);
    while ((await ask(LAST)).seq === seq) await sleep(5);
    waits.push(performance.now() - began);
    workers.get(pid).kill("SIGKILL");
    workers.delete(pid);
    await another();
  }
  await client.end();
  for (const worker of workers.values()) worker.kill("SIGKILL");
  await drop();
  return waits;
}

const rows = [];
for (const size of FLEETS) {
  const most = size * CONCURRENCY;
  const [fleet, hand, plain] = [await byFleet(size), await byHand(most), await plainly(most)];
  const share = (part) => `${Math.round(100 * Math.max(0, 1 - part / fleet))} %`;
  rows.push(
    `| ${size} × ${CONCURRENCY} | ${Math.round((RUNS / fleet) * 60_000)} | ${Math.round((RUNS / hand) * 60_000)} | ${Math.round((RUNS / plain) * 60_000)} | ${share(hand)} | ${share(plain)} |`,
  );
}
const killed = await takeovers("SIGKILL", KILLS);
const stopped = await takeovers("SIGSTOP", STOPS);
console.log(`
| workers | runs a minute | by \`converge run\`, as many at once | agent and gate alone | lost against \`converge run\` | lost against agent and gate |
|---|---|---|---|---|---|
${rows.join("\n")}
| takeover after kill -9 (${KILLS}) | median ${seconds(median(killed))} | worst ${seconds(Math.max(...killed))} | | | |
| takeover after SIGSTOP (${STOPS}) | median ${seconds(median(stopped))} | worst ${seconds(Math.max(...stopped))} | | | |

${RUNS} runs of one iteration, an agent of 50 ms, a gate that passes, on ${os.availableParallelism()} cores with Node ${process.versions.node}.`);
await server.dispose();
fs.rmSync(place, { recursive: true, force: true, maxRetries: 5 });
