// What a run looks like after each of its iterations, in the few numbers that tell whether another one is worth it.
import type { Iteration, Run } from "#spec/run";
import { stable } from "#spec/stable";
import type { Verdict } from "#spec/verdict";
import { alike, joined, type Sketch, sketchOf } from "../likeness.ts";

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
const NOTHING = sketchOf("");

interface Facts {
  readonly score: number;
  readonly tree: string | undefined;
  readonly words: Sketch;
  readonly output: Sketch;
  readonly failing: readonly string[] | undefined;
  readonly cost: number | undefined;
  readonly lines: number;
}

// Texts are long and do not change: what was read of one is kept as long as whoever said it.
const known = new WeakMap<object, Sketch>();

function sketched(by: object, text: () => string): Sketch {
  const found = known.get(by);
  if (found) return found;
  const sketch = sketchOf(text());
  known.set(by, sketch);
  return sketch;
}

const failings = new WeakMap<Iteration["verdicts"], readonly string[] | undefined>();

function failingIn({ verdicts }: Iteration): readonly string[] | undefined {
  if (failings.has(verdicts)) return failings.get(verdicts);
  const failures = verdicts.flatMap(({ verdict }) => verdict.failures);
  const ids = failures.flatMap(({ id }) => (id === undefined ? [] : [stable(id)]));
  const named = verdicts.some(({ verdict }) => verdict.tests !== undefined);
  const failing = named || ids.length > 0 ? [...new Set(ids)].sort() : undefined;
  failings.set(verdicts, failing);
  return failing;
}

function outputOf({ evidence }: Verdict): string {
  return [evidence.stdout, evidence.stderr].filter(Boolean).join("\n");
}

/** What all gates printed together. */
function outputs({ verdicts }: Iteration): Sketch {
  const [first, ...more] = verdicts.map(({ verdict }) => sketched(verdict, () => outputOf(verdict)));
  if (!first) return NOTHING;
  return more.length === 0 ? first : joined([first, ...more]);
}

function factsOf(iteration: Iteration): Facts {
  const { agent } = iteration;
  const tokens = (agent?.usage.inputTokens ?? 0) + (agent?.usage.outputTokens ?? 0);
  return {
    score: iteration.score ?? 0,
    tree: iteration.snapshot?.tree,
    words: agent ? sketched(agent, () => agent.message) : NOTHING,
    output: outputs(iteration),
    failing: failingIn(iteration),
    cost: agent?.usage.costUsd ?? (tokens > 0 ? tokens : undefined),
    lines: iteration.snapshot?.changedLines ?? 0,
  };
}

/** Iterations in which an agent really worked: one that failed shows nothing about the task. */
export function worked(run: Run): readonly Iteration[] {
  return run.iterations.filter(
    ({ agent, decision, score }) => agent?.ok && (decision || score !== undefined),
  );
}

// Asked again in every later iteration, always about the same neighbours.
const compared = new WeakMap<Sketch, { readonly before: Sketch; readonly same: boolean }>();

function isSame(now: Sketch, before: Sketch): boolean {
  const found = compared.get(now);
  if (found?.before === before) return found.same;
  const same = !now.isEmpty && (now.key === before.key || alike(now, before) >= ALIKE);
  compared.set(now, { before, same });
  return same;
}

function effortOf(costs: readonly (number | undefined)[]): number {
  const paid = costs.filter((cost): cost is number => cost !== undefined && cost > 0);
  const last = costs.at(-1);
  if (last === undefined || last <= 0 || paid.length < 2) return 0;
  return Math.log((last * paid.length) / paid.reduce((sum, cost) => sum + cost, 0));
}

function brokenShare(now: readonly string[] | undefined, before: readonly string[] | undefined): number {
  if (!now || !before || now.length === 0) return 0;
  const was = new Set(before);
  return now.filter((id) => !was.has(id)).length / now.length;
}

/** All that earlier iterations left, by name. */
interface Past {
  readonly trees: Set<string>;
  readonly failings: Set<string>;
  readonly outputs: Set<number>;
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

function recalled({ tree, failing, output }: Facts, past: Past, last: Seen | undefined) {
  const repeated = tree !== undefined && past.trees.has(tree);
  return {
    repeated,
    repeats: (last?.repeats ?? 0) + Number(repeated),
    newOutput: !past.outputs.has(output.key),
    sameFailing: failing !== undefined && past.failings.has(failing.join("\n")),
  };
}

/** After each iteration that counts, oldest first. */
export function seenIn(run: Run): readonly Seen[] {
  const past: Past = { trees: new Set(), failings: new Set(), outputs: new Set() };
  const costs: (number | undefined)[] = [];
  const all: Seen[] = [];
  let before: Facts | undefined;
  for (const now of worked(run).map(factsOf)) {
    const last = all.at(-1);
    costs.push(now.cost);
    all.push({
      ...scored(now, last),
      ...besides(now, before, last),
      ...recalled(now, past, last),
      effort: effortOf(costs),
      lines: now.lines,
    });
    if (now.tree !== undefined) past.trees.add(now.tree);
    if (now.failing) past.failings.add(now.failing.join("\n"));
    past.outputs.add(now.output.key);
    before = now;
  }
  return all;
}
