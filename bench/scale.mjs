// What 100, 1,000 and 10,000 runs at once would ask of one Postgres, and what would move the first bottleneck: npm run bench:scale
// The costs are measured here and now, on a Postgres of its own; the load is simulated from them, always the same way.
import { build, setUp } from "../scripts/set-up.mjs";
import { CODE, TASKS } from "./scale/constants.mjs";
import { table } from "./scale/table.mjs";

await setUp();
if (!(await build())) process.exit(1);
const { startCounted } = await import("./scale/server.mjs");
const { observe } = await import("./scale/observe.mjs");
const { measure } = await import("./scale/measure.mjs");
const { report } = await import("./scale/report.mjs");

const SIZES = [100, 1_000, 10_000];

async function withServer(work) {
  const server = await startCounted();
  try {
    return await work(server);
  } finally {
    await server.dispose();
  }
}

const seen = await withServer(observe);
console.log("\nA real worker (8 runs at once; an agent and a gate that take no time)\n");
const round = (number, digits = 1) => Number(number).toFixed(digits);
const pair = ({ run, iteration }, unit = (n) => round(n)) => [unit(run), unit(iteration)];
console.log(
  table([
    ["", "each run", "each iteration"],
    ["statements, without looks", ...pair(seen.statements)],
    ["bytes kept", ...pair(seen.bytes, (n) => round(n, 0))],
    ["bytes of write-ahead log", ...pair(seen.walBytes, (n) => round(n, 0))],
    ["processor of Postgres, ms", ...pair(seen.cpuSeconds, (n) => round(n * 1_000))],
  ]),
);
const all = (connections) => Object.values(connections).reduce((sum, one) => sum + one, 0);
console.log(
  `\nidle: ${round(seen.idle.statementsPerSecond)} statements/s, ${round(seen.idle.cpuShare * 100)} % of a core, ${all(seen.idle.connections)} connections; at work: ${all(seen.busy.connections)} connections ${JSON.stringify(seen.busy.connections)}`,
);

const costs = await withServer(async (server) => {
  const { makeTables } = await import("../dist/engine/tables.js");
  await makeTables(server.url);
  return measure(server, SIZES, TASKS.perWorker);
});
console.log(report({ sizes: SIZES, costs, seen, code: CODE, tasks: TASKS }));
