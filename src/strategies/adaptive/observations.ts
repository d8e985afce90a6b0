// What a run looks like after each of its iterations, in the few numbers that tell whether another one is worth it.
import type { Iteration, Run } from "#spec/run";
import { alike, type Sketch } from "../shared/likeness.ts";
import { type Facts, factsOf } from "./facts.ts";

export interface Seen {
  readonly iterations: number;
  readonly score: number;
  readonly best: number;
  /** Iterations since the best score rose. */
  readonly stagnant: number;
  readonly improved: boolean;
  /** The files are as they were after an earlier iteration. */
  readonly repeated: boolean;
  readonly repeats: number;
  /** Iterations in a row that left the files as they were. */
  readonly unchanged: number;
  /** Iterations in a row whose message, or whose gates' output, says what the one before said. */
  readonly sameWords: number;
  readonly sameOutput: number;
  readonly newOutput: boolean;
  /** The same tests fail as after an earlier iteration. */
  readonly sameFailing: boolean;
  /** Share of the failing tests that did not fail before. */
  readonly broken: number;
  /** How much more this iteration cost than the others, as a logarithm. */
  readonly effort: number;
  readonly lines: number;
}

/** Texts this much alike say the same. */
const ALIKE = 0.95;

/** All that the iterations so far left, by name. */
class Past {
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

/** An iteration, and all that were before it. */
interface Known {
  readonly iteration: Iteration;
  readonly before: Known | undefined;
  readonly facts: Facts;
  readonly seen: Seen;
  readonly past: Past;
  /** Iterations whose cost is known, and their sum. */
  readonly paid: number;
  readonly spent: number;
}

/** Iterations in which an agent really worked: one that failed shows nothing about the task. */
export function worked(run: Run): readonly Iteration[] {
  return run.iterations.filter(
    ({ agent, decision, score }) => agent?.ok && (decision || score !== undefined),
  );
}

function isSame(now: Sketch, before: Sketch): boolean {
  return !now.isEmpty && (now.key === before.key || alike(now, before) >= ALIKE);
}

function brokenShare(now: readonly string[] | undefined, before: readonly string[] | undefined): number {
  if (!now || !before || now.length === 0) return 0;
  const was = new Set(before);
  return now.filter((id) => !was.has(id)).length / now.length;
}

/** Iterations in a row, this one included, of which something holds. */
const inARow = (holds: boolean, before: number | undefined): number => (holds ? (before ?? 0) + 1 : 0);

function besides(now: Facts, before: Facts | undefined, last: Seen | undefined) {
  const unchanged = before?.tree !== undefined && before.tree === now.tree;
  return {
    unchanged: inARow(unchanged, last?.unchanged),
    sameWords: inARow(before !== undefined && isSame(now.words, before.words), last?.sameWords),
    sameOutput: inARow(before !== undefined && isSame(now.output, before.output), last?.sameOutput),
    broken: brokenShare(now.failing, before?.failing),
  };
}

function scored({ score }: Facts, last: Seen | undefined) {
  const improved = last === undefined || score > last.best + 1e-9;
  return {
    iterations: (last?.iterations ?? 0) + 1,
    score,
    best: Math.max(score, last?.best ?? 0),
    stagnant: inARow(!improved, last?.stagnant),
    improved: improved && last !== undefined,
  };
}

const nameOf = (failing: readonly string[]): string => failing.join("\n");

function recalled({ tree, failing, output }: Facts, past: Past, last: Seen | undefined) {
  const repeated = tree !== undefined && past.trees.has(tree);
  return {
    repeated,
    repeats: (last?.repeats ?? 0) + Number(repeated),
    newOutput: !past.outputs.has(output.key),
    sameFailing: failing !== undefined && past.failings.has(nameOf(failing)),
  };
}

function effortOf({ cost }: Facts, paid: number, spent: number): number {
  if (cost === undefined || cost <= 0 || paid < 2) return 0;
  return Math.log((cost * paid) / spent);
}

/** Shared by all iterations of a run; made anew where another run with the same beginning has gone on with it. */
function pastOf(before: Known | undefined): Past {
  if (before && before.past.count === before.seen.iterations) return before.past;
  const past = new Past();
  const chain: Facts[] = [];
  for (let each = before; each; each = each.before) chain.push(each.facts);
  for (const facts of chain.reverse()) past.add(facts);
  return past;
}

function made(iteration: Iteration, before: Known | undefined): Known {
  const facts = factsOf(iteration);
  const [past, last] = [pastOf(before), before?.seen];
  const isPaid = facts.cost !== undefined && facts.cost > 0;
  const paid = (before?.paid ?? 0) + Number(isPaid);
  const spent = (before?.spent ?? 0) + (isPaid ? (facts.cost ?? 0) : 0);
  const seen = {
    ...scored(facts, last),
    ...besides(facts, before?.facts, last),
    ...recalled(facts, past, last),
    effort: effortOf(facts, paid, spent),
    lines: facts.lines,
  };
  past.add(facts);
  return { iteration, before, facts, seen, past, paid, spent };
}

// A decision asks about all iterations so far, and all but the last were asked about before.
const known = new WeakMap<object, Known>();

function isOf(iteration: Iteration, { iteration: then }: Known): boolean {
  const { verdicts, snapshot, score } = iteration;
  return then.verdicts === verdicts && then.snapshot === snapshot && then.score === score;
}

function knownOf(iteration: Iteration, before: Known | undefined): Known {
  const { agent = iteration } = iteration;
  const found = known.get(agent);
  if (found && found.before === before && isOf(iteration, found)) return found;
  const fresh = made(iteration, before);
  known.set(agent, fresh);
  return fresh;
}

/** After each iteration that counts, oldest first. */
export function seenIn(run: Run): readonly Seen[] {
  const all: Seen[] = [];
  let before: Known | undefined;
  for (const iteration of worked(run)) {
    before = knownOf(iteration, before);
    all.push(before.seen);
  }
  return all;
}
