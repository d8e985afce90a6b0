// From the costs to the tables: the load at each size, the burst, and what each change would do.
import { simulate } from "./simulate.mjs";
import { table } from "./table.mjs";

const SEED = 20_261_116;
/** A large server, as one can rent it. */
const CORES = 32;
/** MOST_CONNECTIONS in src/stores/postgres/connection.ts. */
const POOL = 4;
const STEADY_MS = 6_000;
const BURST_MS = 600_000;

const whole = (number) => Math.round(number).toLocaleString("en");
const short = (number) => (number >= 10 ? whole(number) : number.toFixed(number >= 1 ? 1 : 2));
const seconds = (ms) => (ms >= 1_000 ? `${short(ms / 1_000)} s` : `${short(ms)} ms`);

/** What a plan asks for when no processor is short. */
const wantedBy = (plan, costs) =>
  simulate({ ...plan, cores: Number.POSITIVE_INFINITY }, costs, { burst: false, windowMs: STEADY_MS });
/** The claims alone, with processors to spare. */
const burstOf = (plan, costs) =>
  simulate({ ...plan, cores: Number.POSITIVE_INFINITY }, costs, { burst: true, windowMs: BURST_MS });

const VARIANTS = [
  ["as it is", {}],
  ["one inbox look per worker, not per run", { inboxPerWorker: true }],
  ["inbox by LISTEN/NOTIFY, a look every 10 s", { code: { inboxMs: 10_000 } }],
  ["two workers look after all, elected by a lock", { watchers: 2 }],
  ["32 runs on a worker", { perWorker: 32 }],
  ["dequeue polls every second", { code: { dequeueMs: 1_000 } }],
  ["claims that count nothing", { flatClaims: true }],
  ["logs and packs in object storage", { logs: false }],
  [
    "all of these",
    {
      code: { inboxMs: 10_000, dequeueMs: 1_000 },
      watchers: 2,
      perWorker: 32,
      flatClaims: true,
      logs: false,
    },
  ],
  [
    "one look per worker, two look after all, 32 runs a worker",
    { inboxPerWorker: true, watchers: 2, perWorker: 32 },
  ],
  ["four databases, by repository, as it is", { runs: 1 / 4 }],
];

/** One row for each thing, one column for each size. */
function loadTable(sizes, played, { statementMs }) {
  const line = (name, of) => [name, ...played.map(of)];
  return table([
    ["runs at once", ...sizes.map(whole)],
    line("workers", ({ wanted }) => whole(wanted.workers)),
    line("connections", ({ wanted, connections }) => whole(wanted.workers * connections)),
    line("statements/s", ({ wanted }) => whole(wanted.statements)),
    line("cores of Postgres", ({ wanted }) => short(wanted.cores)),
    line("write-ahead log, MB/s", ({ wanted }) => short(wanted.walBytes / 1e6)),
    line(
      `an append, half / 99 % (${CORES} cores)`,
      ({ had }) => `${seconds(had.append.half)} / ${seconds(had.append.most)}`,
    ),
    line(
      "a run waits to be claimed, half / 99 %",
      ({ had }) => `${seconds(had.delay.half)} / ${seconds(had.delay.most)}`,
    ),
    line("all submitted at once: until the last is claimed", ({ burst }) => seconds(burst.seconds * 1_000)),
    line(
      "… wait for the lock, half / worst",
      ({ burst }) => `${seconds(burst.lockWait.half)} / ${seconds(burst.lockWait.worst)}`,
    ),
    line(`… claims that wait over ${statementMs / 1_000} s, and are given up`, ({ burst }) =>
      whole(burst.givenUp),
    ),
  ]);
}

function kindsTable({ runs, kinds }) {
  const rows = kinds.map((one) => [
    one.kind,
    whole(one.statements),
    short(one.cores),
    short(one.walBytes / 1e6),
  ]);
  return table([[`at ${whole(runs)} runs`, "statements/s", "cores", "write-ahead log, MB/s"], ...rows]);
}

function priceTable({ crowds, flushMs, ...calls }) {
  const row = (name, { cpuMs, walBytes }) => [name, short(cpuMs), whole(walBytes)];
  return table([
    ["one call", "processor, ms", "write-ahead log, bytes"],
    ...Object.entries(calls).map(([name, cost]) => row(name, cost)),
    ...crowds.map(({ workers, look }) => row(`peers' look, ${whole(workers)} workers`, look)),
    ...crowds.map(({ runs, claim, lockMs }) =>
      row(`claim, ${whole(runs)} runs (four at once: one each ${seconds(lockMs)})`, claim),
    ),
    [`wait for the disk: ${seconds(flushMs)}`, "", ""],
  ]);
}

export function report({ sizes, costs, seen, code, tasks }) {
  const connections = Object.values(seen.busy.connections).reduce((sum, one) => sum + one, 0);
  const plan = (runs, change = {}) => ({
    seed: SEED,
    cores: CORES,
    pool: POOL,
    logs: true,
    watchers: Number.POSITIVE_INFINITY,
    statements: seen.statements,
    perWorker: tasks.perWorker,
    ...change,
    tasks,
    code: { ...code, ...change.code },
    runs: runs * (change.runs ?? 1),
  });
  const played = sizes.map((runs) => ({
    connections,
    wanted: wantedBy(plan(runs), costs),
    // Few runs start seldom: as many starts are seen at each size.
    had: simulate(plan(runs), costs, { burst: false, windowMs: (STEADY_MS * sizes.at(-1)) / runs }),
    burst: burstOf(plan(runs), costs),
  }));
  const moves = VARIANTS.map(([name, change]) => {
    const changed = plan(sizes.at(-1), change);
    const { statements, cores, walBytes, workers } = wantedBy(changed, costs);
    const claimed = seconds(burstOf(changed, costs).seconds * 1_000);
    return [
      name,
      whole(statements),
      short(cores),
      short(walBytes / 1e6),
      whole(workers * connections),
      claimed,
    ];
  });
  const head = ["statements/s", "cores", "log, MB/s", "connections", "burst claimed after"];
  const [run, iteration] = [tasks.runMs / 60_000, tasks.iterationMs / 60_000];
  return [
    "\nWhat a call costs, as measured now\n",
    priceTable(costs),
    `\nWhat runs ask of one Postgres (simulated; ${tasks.perWorker} runs a worker, ${run} minutes a run, ${iteration} an iteration)\n`,
    loadTable(sizes, played, code),
    "\nBy what is asked\n",
    kindsTable(played.at(-1).wanted),
    "\nWhat moves it (for four databases: each of them)\n",
    table([[`${whole(sizes.at(-1))} runs`, ...head], ...moves]),
  ].join("\n");
}
