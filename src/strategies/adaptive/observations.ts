// Observations of a run after each iteration: the numbers that the features of the model are computed from.
import type { Iteration, Run } from "#spec/run";
import { type Sketch, sketchSimilarity } from "../shared/likeness.ts";
import { type Facts, factsOf } from "./facts.ts";

export interface Observation {
  readonly iterations: number;
  readonly score: number;
  readonly best: number;
  /** Iterations since the best score rose. */
  readonly stagnant: number;
  readonly improved: boolean;
  /** The files equal those after an earlier iteration. */
  readonly repeated: boolean;
  readonly repeats: number;
  /** Iterations in a row that changed no files. */
  readonly unchanged: number;
  /** Iterations in a row whose message, or gate output, repeats the previous one. */
  readonly sameWords: number;
  readonly sameOutput: number;
  readonly newOutput: boolean;
  /** The same tests fail as after an earlier iteration. */
  readonly sameFailing: boolean;
  /** Share of the failing tests that did not fail before. */
  readonly broken: number;
  /** Logarithm of this iteration's cost relative to the mean. */
  readonly effort: number;
  readonly lines: number;
}

/** Similarity at which two texts count as equal. */
const MIN_SIMILARITY = 0.95;

/** Trees, failing tests and outputs of all iterations so far. */
class History {
  count = 0;
  readonly trees = new Set<string>();
  readonly failings = new Set<string>();
  readonly outputs = new Set<number>();

  add({ tree, failing, output }: Facts): void {
    this.count++;
    if (tree !== undefined) this.trees.add(tree);
    if (failing) this.failings.add(nameOf(failing));
    this.outputs.add(output.key);
  }
}

/** An iteration with its observation, linked to the previous one. */
interface ObservedIteration {
  readonly iteration: Iteration;
  readonly before: ObservedIteration | undefined;
  readonly facts: Facts;
  readonly observation: Observation;
  readonly past: History;
  /** Number of iterations with a known cost, and the sum of their costs. */
  readonly paidCount: number;
  readonly totalCost: number;
}

/** Iterations whose agent succeeded: a failed agent says nothing about the task. */
export function workedIterations(run: Run): readonly Iteration[] {
  return run.iterations.filter(
    ({ agent, decision, score }) => agent?.ok && (decision || score !== undefined),
  );
}

function isSame(now: Sketch, before: Sketch): boolean {
  return !now.isEmpty && (now.key === before.key || sketchSimilarity(now, before) >= MIN_SIMILARITY);
}

function brokenShare(now: readonly string[] | undefined, before: readonly string[] | undefined): number {
  if (!now || !before || now.length === 0) return 0;
  const failedBefore = new Set(before);
  return now.filter((id) => !failedBefore.has(id)).length / now.length;
}

/** Extends or resets a count of consecutive iterations. */
const countStreak = (isContinued: boolean, before: number | undefined): number =>
  isContinued ? (before ?? 0) + 1 : 0;

function compareWithPrevious(now: Facts, before: Facts | undefined, last: Observation | undefined) {
  const unchanged = before?.tree !== undefined && before.tree === now.tree;
  return {
    unchanged: countStreak(unchanged, last?.unchanged),
    sameWords: countStreak(before !== undefined && isSame(now.words, before.words), last?.sameWords),
    sameOutput: countStreak(before !== undefined && isSame(now.output, before.output), last?.sameOutput),
    broken: brokenShare(now.failing, before?.failing),
  };
}

function compareScores({ score }: Facts, last: Observation | undefined) {
  const improved = last === undefined || score > last.best + 1e-9;
  return {
    iterations: (last?.iterations ?? 0) + 1,
    score,
    best: Math.max(score, last?.best ?? 0),
    stagnant: countStreak(!improved, last?.stagnant),
    improved: improved && last !== undefined,
  };
}

const nameOf = (failing: readonly string[]): string => failing.join("\n");

function compareWithHistory({ tree, failing, output }: Facts, past: History, last: Observation | undefined) {
  const repeated = tree !== undefined && past.trees.has(tree);
  return {
    repeated,
    repeats: (last?.repeats ?? 0) + Number(repeated),
    newOutput: !past.outputs.has(output.key),
    sameFailing: failing !== undefined && past.failings.has(nameOf(failing)),
  };
}

function effortOf({ cost }: Facts, paidCount: number, totalCost: number): number {
  if (cost === undefined || cost <= 0 || paidCount < 2) return 0;
  return Math.log((cost * paidCount) / totalCost);
}

/** History shared by all iterations of a run. Copied when another run with the same beginning has already extended it. */
function pastOf(before: ObservedIteration | undefined): History {
  if (before && before.past.count === before.observation.iterations) return before.past;
  const past = new History();
  const chain: Facts[] = [];
  for (let each = before; each; each = each.before) chain.push(each.facts);
  for (const facts of chain.reverse()) past.add(facts);
  return past;
}

function observe(iteration: Iteration, before: ObservedIteration | undefined): ObservedIteration {
  const facts = factsOf(iteration);
  const [past, last] = [pastOf(before), before?.observation];
  const isPaid = facts.cost !== undefined && facts.cost > 0;
  const paidCount = (before?.paidCount ?? 0) + Number(isPaid);
  const totalCost = (before?.totalCost ?? 0) + (isPaid ? (facts.cost ?? 0) : 0);
  const observation = {
    ...compareScores(facts, last),
    ...compareWithPrevious(facts, before?.facts, last),
    ...compareWithHistory(facts, past, last),
    effort: effortOf(facts, paidCount, totalCost),
    lines: facts.lines,
  };
  past.add(facts);
  return { iteration, before, facts, observation, past, paidCount, totalCost };
}

// Cache: each decision observes all iterations, and all but the last were observed before.
const cache = new WeakMap<object, ObservedIteration>();

function isCurrent(iteration: Iteration, { iteration: cached }: ObservedIteration): boolean {
  const { verdicts, snapshot, score } = iteration;
  return cached.verdicts === verdicts && cached.snapshot === snapshot && cached.score === score;
}

function observeCached(iteration: Iteration, before: ObservedIteration | undefined): ObservedIteration {
  const { agent = iteration } = iteration;
  const node = cache.get(agent);
  if (node && node.before === before && isCurrent(iteration, node)) return node;
  const fresh = observe(iteration, before);
  cache.set(agent, fresh);
  return fresh;
}

/** Observations after each iteration in which the agent worked, oldest first. */
export function observationsOf(run: Run): readonly Observation[] {
  const all: Observation[] = [];
  let before: ObservedIteration | undefined;
  for (const iteration of workedIterations(run)) {
    before = observeCached(iteration, before);
    all.push(before.observation);
  }
  return all;
}
