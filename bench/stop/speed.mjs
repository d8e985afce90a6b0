// How long a decision takes, and how fast texts are read. Others use the machine too, so the quickest of several rounds counts.
import { replayRun } from "../../dist/backtest/replay.js";
import { PRIOR } from "../../dist/strategies/adaptive/features.js";
import { learn } from "../../dist/strategies/adaptive/hazard.js";
import { sketchOf } from "../../dist/strategies/shared/likeness.js";

const RUNS = 2_000;

/** Asked so many times, of which the first does not count: what is asked first is not yet compiled. */
const ROUNDS = 5;

/** In microseconds; of each decision its quickest round, because what else the machine does only makes it slower. */
export async function decisionTimes(sequences) {
  const some = sequences.slice(0, RUNS);
  const strategy = adaptive({
    weights: learn(
      PRIOR,
      some.slice(0, 200).flatMap(({ run }) => transitionsOf(run)),
    ),
  });
  const times = [];
  let at = 0;
  const timed = (run) => {
    const began = process.hrtime.bigint();
    const decision = strategy(run);
    times[at] = Math.min(
      times[at] ?? Number.POSITIVE_INFINITY,
      Number(process.hrtime.bigint() - began) / 1_000,
    );
    at++;
    return decision;
  };
  // Texts of a run are read once, when it is first asked about: that is what `likenessSpeed` is about.
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 1) times.length = 0;
    at = 0;
    for (const { run } of some) await replayRun(run, timed);
  }
  times.sort((a, b) => a - b);
  const quantile = (share) => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { median: quantile(0.5), most: quantile(0.99), count: times.length };
}

const WORDS =
  "error expected value got undefined at Object.<anonymous> in src/module/thing.ts because of 12.5 s".split(
    " ",
  );

function textOf(length) {
  const lines = [];
  for (let chars = 0, at = 0; chars < length; at++) {
    const line = Array.from(
      { length: 12 },
      (_, word) => WORDS[(at * 7 + word * word * 3 + (at >> word)) % WORDS.length],
    ).join(" ");
    lines.push(`${line} ${at.toString(36)}`);
    chars += line.length;
  }
  return lines.join("\n");
}

/** MB a second of one core, the best of several rounds: what else the machine does only makes it slower. */
export function likenessSpeed() {
  const text = textOf(4_000_000);
  let best = 0;
  for (let round = 0; round < 15; round++) {
    const began = process.cpuUsage();
    sketchOf(text);
    const { user, system } = process.cpuUsage(began);
    best = Math.max(best, text.length / (user + system));
  }
  return best;
}
