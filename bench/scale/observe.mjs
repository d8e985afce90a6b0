// What a real worker asks of Postgres: with nothing to do, and for each run and iteration.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { root } from "../../scripts/set-up.mjs";
import { serverSeconds, walBytes } from "./server.mjs";

const CLI = path.join(root, "bin", "converge.js");
const IDLE_MS = 20_000;
const RUNS = 8;
const [FEW, MANY] = [1, 11];
/** Asked again and again while time passes, whatever the run does. */
const LOOKS =
  /converge\.commands|pg_locks|converge\.here|^SELECT$|"converge_queue"\.(queues|application_versions|workflow_schedules)|^BEGIN|^COMMIT|status = \$1 AND queue_name = \$2|delay_until/;

async function counted({ ask }) {
  const rows = await ask("SELECT calls, query FROM pg_stat_statements WHERE toplevel");
  const all = rows.filter(({ query }) => !/pg_stat|pg_total_relation_size|pg_current_wal/.test(query));
  const sum = (some) => some.reduce((total, { calls }) => total + Number(calls), 0);
  return { all: sum(all), other: sum(all.filter(({ query }) => !LOOKS.test(query.trim()))) };
}

async function stored({ ask }) {
  const [{ bytes }] = await ask(
    "SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('converge', 'converge_queue') AND c.relkind = 'r'",
  );
  return Number(bytes);
}

const connections = async ({ ask }) => {
  const rows = await ask(
    "SELECT CASE WHEN application_name LIKE 'dbos%' THEN 'queue' ELSE application_name END AS by, count(*) FROM pg_stat_activity WHERE application_name LIKE 'converge%' OR application_name LIKE 'dbos%' GROUP BY 1 ORDER BY 1",
  );
  return Object.fromEntries(rows.map(({ by, count }) => [by, Number(count)]));
};

async function during(server, work) {
  await server.ask("SELECT pg_stat_statements_reset()");
  const [seconds, wal, bytes, began] = [
    serverSeconds(server),
    await walBytes(server),
    await stored(server),
    performance.now(),
  ];
  await work();
  return {
    seconds: (performance.now() - began) / 1_000,
    ...(await counted(server)),
    cpuSeconds: serverSeconds(server) - seconds,
    walBytes: (await walBytes(server)) - wal,
    bytes: (await stored(server)) - bytes,
  };
}

function desk(url) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-bench-")));
  const workspace = path.join(folder, "workspace");
  fs.mkdirSync(workspace);
  const env = { ...process.env, CONVERGE_DATABASE_URL: url, CONVERGE_HOME: path.join(folder, "home") };
  return { cwd: workspace, env, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

async function startWorker(options) {
  const child = spawn(process.execPath, [CLI, "worker", "--concurrency", String(RUNS)], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const text of child.stderr.setEncoding("utf8").iterator({ destroyOnReturn: false }))
    if (text.includes("is ready")) break;
  child.stderr.resume();
  return child;
}

/** With something to say each time, as tests have. */
const taskOf = (iterations) => `
prompt: Make it work.
agent: { type: command, command: "date +%N > file; seq 200" }
gates: ["date +%N; seq 50; test $CONVERGE_ITERATION = ${iterations}"]
strategy: { type: fixed, iterations: ${MANY + 1} }
`;

/** Runs that take as many iterations, from the first word to the end of the last. */
async function drive(server, options, iterations) {
  const [{ before }] = await server.ask(
    "SELECT count(*) AS before FROM converge.events WHERE body LIKE '%\"run.ended\"%'",
  );
  const file = path.join(options.cwd, "converge.yaml");
  fs.writeFileSync(file, taskOf(iterations));
  for (let at = 0; at < RUNS; at++)
    await promisify(execFile)(process.execPath, [CLI, "submit", file], options);
  for (;;) {
    const [{ ended }] = await server.ask(
      "SELECT count(*) AS ended FROM converge.events WHERE body LIKE '%\"run.ended\"%'",
    );
    if (Number(ended) - Number(before) >= RUNS) return;
    await sleep(100);
  }
}

export async function observe(server) {
  const { remove, ...options } = desk(server.url);
  const worker = await startWorker(options);
  try {
    // The queue is there from the first run on.
    await drive(server, options, FEW);
    const few = await during(server, () => drive(server, options, FEW));
    const many = await during(server, () => drive(server, options, MANY));
    const busy = await connections(server);
    await sleep(15_000);
    const idle = await during(server, () => sleep(IDLE_MS));
    const per = (name) => {
      const iteration = (many[name] - few[name]) / RUNS / (MANY - FEW);
      return { iteration, run: few[name] / RUNS - FEW * iteration };
    };
    return {
      idle: {
        statementsPerSecond: idle.all / idle.seconds,
        cpuShare: idle.cpuSeconds / idle.seconds,
        connections: await connections(server),
      },
      busy: { connections: busy },
      statements: per("other"),
      bytes: per("bytes"),
      walBytes: per("walBytes"),
      cpuSeconds: per("cpuSeconds"),
    };
  } finally {
    worker.kill("SIGTERM");
    await once(worker, "exit");
    remove();
  }
}
