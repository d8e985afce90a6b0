// Goes on while it is worth it: the chance that another iteration passes, learned from this project's runs, against its cost.
import type { Decision } from "#spec/decision";
import type { Transition } from "#spec/lesson";
import type { Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { likelihood } from "#text/format";
import { breakCircle } from "../shared/circle.ts";
import { findCycle } from "../shared/cycle.ts";
import { divergence } from "../shared/diverging.ts";
import { orAfresh } from "../shared/fresh-start.ts";
import { usedUp } from "../shared/last-iteration.ts";
import { whileRed } from "../shared/while-red.ts";
import { type Worth, worthOf } from "./expected-value.ts";
import { featuresOf, type Group, PRIOR, shares } from "./features.ts";
import type { Weights } from "./hazard.ts";
import { type Seen, seenIn, worked } from "./observations.ts";

/** What a solved task is worth, in costs of one iteration. */
export const VALUES = { cheap: 20, thrifty: 50, default: 100, stubborn: 300 } as const;

export interface AdaptiveOptions {
  readonly value?: keyof typeof VALUES | number;
  /** What was learned before this run; nothing unless told. */
  readonly weights?: Weights;
}

/** Iterations that are always tried: with what was learned, and without. */
const LEAST = 2;
const LEAST_COLD = 3;

export function adaptive({ value = "default", weights = PRIOR }: AdaptiveOptions = {}): Strategy {
  const worth = typeof value === "number" ? value : VALUES[value];
  const least = weights.transitions > 0 ? LEAST : LEAST_COLD;
  return whileRed((run, latest) => {
    const left = run.task.limits.iterations - latest.number;
    if (left <= 0) return usedUp(run);
    const cycle = findCycle(run);
    if (cycle) return breakCircle(cycle, run);
    const worse = divergence(run);
    if (worse) return orAfresh(worse, run, left);
    const seen = seenIn(run).at(-1);
    if (seen === undefined || seen.iterations < least)
      return { continue: true, reason: `at least ${least} iterations are tried`, confidence: 1 };
    const found = worthOf(weights, seen, left, worth);
    return found.gain > 0 ? goOn(found, seen, weights) : orAfresh(giveUp(found, seen, weights), run, left);
  });
}

/** What every iteration of the run taught: its features, and whether the one after it passed. */
export function transitionsOf(run: Run): readonly Transition[] {
  const counted = worked(run);
  return seenIn(run).flatMap((seen, at) => {
    const next = counted[at + 1];
    return next ? [{ features: featuresOf(seen), passed: (next.score ?? 0) >= 1 }] : [];
  });
}

/** What was seen, as what each kind of feature adds to the log odds or takes from them. */
function carried(weights: Weights, seen: Seen): Record<string, number> {
  const told = [...shares(weights.mean, featuresOf(seen))].map(
    ([group, share]) => [group, Math.round(100 * share) / 100] as const,
  );
  return Object.fromEntries(told.filter(([, share]) => share !== 0));
}

function facts(worth: Worth, seen: Seen, weights: Weights): Record<string, unknown> {
  const { next, interval, within, grant } = worth;
  const { transitions } = weights;
  return { next, interval, within, grant, transitions, features: carried(weights, seen) };
}

function goOn(worth: Worth, seen: Seen, weights: Weights): Decision {
  const { next, within, grant, sureToStop } = worth;
  const reason = `another iteration is worth it: it passes with ${likelihood(next)}, one of those left with ${likelihood(within)}; up to ${grant} more`;
  return { continue: true, reason, confidence: 1 - sureToStop, metadata: facts(worth, seen, weights) };
}

const WORDS: Readonly<Record<Group, (seen: Seen) => string>> = {
  length: ({ iterations }) => `${iterations} iterations have not solved it`,
  stagnation: ({ stagnant }) => `nothing has improved for ${stagnant} iterations`,
  progress: () => "little has been reached",
  regression: ({ best, score }) => `the score fell from ${best.toFixed(2)} to ${score.toFixed(2)}`,
  repeats: ({ repeats, unchanged }) =>
    unchanged > 0
      ? `the files stayed the same for ${unchanged} iterations`
      : `the files were as before ${repeats} times`,
  alike: () => "the agent and the gates say the same again",
  failures: () => "the same tests fail as before",
  effort: () => "iterations cost more than they did",
};

function giveUp(worth: Worth, seen: Seen, weights: Weights): Decision {
  const against = [...shares(weights.mean, featuresOf(seen))]
    .filter(([group, share]) => share < -0.05 && group !== "length")
    .sort(([, one], [, other]) => one - other)
    .slice(0, 2)
    .map(([group]) => WORDS[group](seen));
  const why = against.length > 0 ? against.join(", and ") : WORDS.length(seen);
  const reason = `not worth another iteration: ${why}; it would pass with ${likelihood(worth.next)}`;
  return { continue: false, reason, confidence: worth.sureToStop, metadata: facts(worth, seen, weights) };
}
