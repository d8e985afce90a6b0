// The evaluation protocol: shuffled orders, per source, adaptive and the default against simple rules, and what is claimed.
import { parseArgs } from "node:util";
import { ordersOf } from "../../dist/backtest/backtest.js";
import { componentOf, createContender } from "../../dist/backtest/contender.js";
import { readLogs } from "../../dist/backtest/read-logs.js";
import { scoresOf } from "../../dist/backtest/score.js";
import { runTrial } from "../../dist/backtest/trial.js";
import { builtIns } from "../../dist/catalog/built-ins.js";
import { bootstrapped } from "./bootstrap.mjs";
import { besides, claims } from "./claims.mjs";
import { rules } from "./rules.mjs";
import { decisionTimes, likenessSpeed } from "./speed.mjs";

const ORDERS = 5;
const VALUES = [20, 50, 75, 100, 150, 300];

const { values: flags } = parseArgs({ options: { data: { type: "string" } } });
if (!flags.data) {
  console.error(
    "bench:stop measures on logs (docs/backtest.md); name their folder: npm run bench:stop -- --data DIR",
  );
  process.exit(2);
}

const { sequences, unread } = await readLogs(flags.data);
const whole = sequences.filter((sequence) => sequence.whole);
const orders = ordersOf(whole, ORDERS, 1);
console.log(
  `${whole.length} runs that were not cut short, of ${sequences.length}; ${unread.length} lines are no log; ${ORDERS} shuffled orders\n`,
);

const registry = builtIns().strategies;
const percent = (share) => (share === undefined ? "–" : (100 * share).toFixed(1)).padStart(6);
const decimal = (value) => (value === undefined ? "–" : value.toFixed(3)).padStart(7);

function row(score, interval) {
  const [low, high] = score.falseStopInterval.map((share) => (100 * share).toFixed(2));
  return [
    score.strategy.padEnd(30),
    percent(score.kept),
    percent(score.keptAtWorst),
    percent(score.saved),
    percent(score.costSaved),
    `${low} to ${high}`.padStart(16),
    decimal(score.calibrationError),
    decimal(score.brierSkill),
    `  ${interval}`,
  ].join(" ");
}

const measured = [];
async function measure(name, one) {
  const trial = await runTrial(one, orders);
  for (const score of scoresOf(trial)) {
    const at =
      score.source ?? (new Set(whole.map(({ source }) => source)).size === 1 ? whole[0].source : undefined);
    if (at === undefined) continue;
    const ofSource = trial.orders.map((order) => order.filter(({ sequence }) => sequence.source === at));
    measured.push({ ...score, source: at, strategy: name, interval: bootstrapped(ofSource) });
  }
}

for (const value of VALUES) {
  const name = `adaptive:{"value":${value}}`;
  await measure(
    value === 100 ? "adaptive (default)" : `adaptive, value ${value}`,
    await createContender(name, componentOf(name, "."), registry, () => {}),
  );
}
// The default itself, and its arithmetic with numbers, through the code that decides in a run.
for (const [title, name] of [
  ["hybrid (the default)", "hybrid"],
  ["hybrid 3+2", 'hybrid:{"baseIterations":3,"bonusIterations":2}'],
])
  await measure(title, await createContender(name, componentOf(name, "."), registry, () => {}));
for (const [name, strategy] of Object.entries(rules))
  await measure(name, {
    name,
    learns: false,
    start: () => ({ strategyFor: async () => strategy, ended: () => {} }),
  });

for (const source of [...new Set(measured.map((score) => score.source))].sort()) {
  const here = measured.filter((score) => score.source === source);
  console.log(`${source}: ${here[0].runs} runs, ${here[0].solved} solved`);
  console.log(
    `${"".padEnd(30)}   kept  worst  saved   cost  false stops 95 %     ECE   skill   kept and saved, by task`,
  );
  for (const score of here) console.log(row(score, score.interval));
  for (const least of [0.95, 0.98, 0.99]) {
    const best = Math.max(
      ...here
        .filter((score) => score.strategy.startsWith("adaptive") && score.kept >= least)
        .map((score) => score.saved),
    );
    console.log(
      `  adaptive with at least ${percent(least).trim()} % kept saves ${Number.isFinite(best) ? `${percent(best).trim()} %` : "nothing it could be asked for"}`,
    );
  }
  console.log();
}

const times = await decisionTimes(orders[0]);
const speed = likenessSpeed();
console.log(
  `a decision takes ${times.median.toFixed(1)} µs (99 of 100 under ${times.most.toFixed(1)} µs, ${times.count} decisions)`,
);
console.log(`likeness reads ${speed.toFixed(0)} MB/s\n`);

for (const text of besides(measured)) console.log(`beside: ${text}`);
const found = claims({ measured, times, speed });
for (const { holds, text } of found) console.log(`${holds ? "holds " : "DOES NOT HOLD "} ${text}`);
process.exitCode = found.every(({ holds }) => holds) ? 0 : 1;
