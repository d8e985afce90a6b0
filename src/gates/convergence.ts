// Passes when the files have converged: the last snapshots differ by few enough lines.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineGate } from "#options/part";
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Iteration, Run } from "#spec/run";
import { failedVerdict, makeVerdict, type Verdict } from "#spec/verdict";

export interface ConvergenceOptions {
  /** How many consecutive snapshots must be alike. */
  readonly snapshots?: number;
  /** Maximum lines, added and removed, between consecutive snapshots; 0 means equal. */
  readonly maxChangedLines?: number;
}

/** Lines changed since the previous iteration's snapshot; undefined when unknown. */
function changedLines(iteration: Iteration, before: Iteration | undefined): number | undefined {
  const { agent, snapshot, from } = iteration;
  // A failed agent run says nothing about whether work was left.
  if (!agent?.ok || !snapshot || !before?.snapshot) return undefined;
  // Files were restored in between, so the diff is not against the previous snapshot.
  if (from !== undefined && from !== before.snapshot.tree) return undefined;
  return snapshot.tree === before.snapshot.tree ? 0 : snapshot.changedLines;
}

/** The sizes of the last `count` differences, oldest first. */
function lastSizes(run: Run, number: number, count: number): (number | undefined)[] {
  const iterations = [run.baseline, ...run.iterations].filter((one) => one.number <= number);
  const differences = iterations
    .slice(1)
    .map((iteration, index) => changedLines(iteration, iterations[index]));
  return differences.slice(-count);
}

const describeSize = (size: number | undefined) => (size === undefined ? "unknown" : String(size));

export function convergence(name: string, options: ConvergenceOptions = {}): Gate {
  const { snapshots = 3, maxChangedLines = 0 } = options;
  const required = snapshots - 1;
  const isQuiet = (size: number | undefined) => size !== undefined && size <= maxChangedLines;

  const verdictOn = (sizes: readonly (number | undefined)[]): Verdict => {
    const quiet = sizes.length - 1 - sizes.findLastIndex((size) => !isQuiet(size));
    const lines = `lines changed between snapshots: ${sizes.map(describeSize).join(", ")}`;
    if (quiet >= required)
      return makeVerdict("passed", `the last ${snapshots} snapshots are alike; ${lines}`);
    const summary = `${quiet} of ${required} consecutive quiet iterations; ${lines}`;
    const message = `the files still change: ${lines}, at most ${maxChangedLines} allowed. Change only what is still necessary`;
    return failedVerdict(summary, message, quiet / required);
  };

  return {
    name,
    judge: async ({ run, iteration }: JudgeRequest, signal) => {
      if (signal.aborted) return makeVerdict("errored", "interrupted before it finished");
      if (iteration === 0) return failedVerdict("nothing to compare yet: this is the first snapshot");
      return verdictOn(lastSizes(run, iteration, required));
    },
  };
}

export const convergenceGate = defineGate({
  type: "convergence",
  summary: "Passes when the files stop changing from iteration to iteration.",
  options: z.strictObject({
    snapshots: z.int().min(2).max(1000).optional(),
    maxChangedLines: z.int().min(0).max(1_000_000).optional(),
  }),
  traits: {
    cleanRoom: false,
    ignoredPolicies: [
      { key: "repeat", reason: "the gate reads recorded snapshots, so the result never changes" },
    ],
  },
  helper: (options: ConvergenceOptions = {}) => ({ type: "convergence" as const, ...options }),
  create: (options, { name }) => convergence(name, dropUndefined(options)),
});
