// How far kept and saved may be off, by drawing tasks, not runs: runs of one task are alike.
import { randomFrom } from "../../dist/backtest/statistics.js";

const DRAWS = 300;

function tasksOf(orders) {
  const tasks = new Map();
  for (const { sequence, used } of orders.flat()) {
    const task = tasks.get(sequence.task) ?? { solved: 0, kept: 0, all: 0, used: 0 };
    const length = sequence.run.iterations.length;
    task.solved += Number(sequence.solved);
    task.kept += Number(sequence.solved && used === length);
    task.all += length;
    task.used += used;
    tasks.set(sequence.task, task);
  }
  return [...tasks.values()];
}

function middle(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return `${(100 * at(0.025)).toFixed(1)} to ${(100 * at(0.975)).toFixed(1)}`;
}

/** 95 % intervals of kept and saved, in words. */
export function bootstrapped(orders) {
  const [tasks, random] = [tasksOf(orders), randomFrom(1)];
  const draws = Array.from({ length: DRAWS }, () => {
    const sum = { solved: 0, kept: 0, all: 0, used: 0 };
    for (let drawn = 0; drawn < tasks.length; drawn++) {
      const task = tasks[Math.floor(random() * tasks.length)];
      for (const key of Object.keys(sum)) sum[key] += task[key];
    }
    return { kept: sum.solved === 0 ? 1 : sum.kept / sum.solved, saved: 1 - sum.used / sum.all };
  });
  return `${middle(draws.map(({ kept }) => kept))}; ${middle(draws.map(({ saved }) => saved))}`;
}
