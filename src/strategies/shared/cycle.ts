// Detects a circle: several iterations ended with the same files and the same failures.
import type { Iteration, Run } from "#spec/run";
import { normalise } from "#text/normalise";
import { type Circle, joinNumbers } from "./circle.ts";
import { hasWorked, iterationsSinceResume } from "./worked.ts";

/** Occurrences of one state that make a circle, at any distance. */
const MIN_OCCURRENCES = 3;

/** Names of the failing tests, normalised, sorted and without duplicates. */
export function failingIn({ verdicts }: Iteration): readonly string[] {
  const ids = verdicts.flatMap(({ verdict }) =>
    verdict.failures.flatMap(({ id }) => (id ? [normalise(id)] : [])),
  );
  return [...new Set(ids)].sort();
}

/** Normalised output of the gates, for failures without names. */
function outputsOf({ verdicts }: Iteration): readonly string[] {
  return verdicts.map(({ verdict: { evidence } }) =>
    normalise([evidence.stdout, evidence.stderr].filter(Boolean).join("\n")),
  );
}

// Cache: every decision compares all iterations so far.
const verdictKeys = new WeakMap<Iteration["verdicts"], string>();

function verdictKey(iteration: Iteration): string {
  const cached = verdictKeys.get(iteration.verdicts);
  if (cached !== undefined) return cached;
  const status = iteration.verdicts.map(({ gate, verdict }) => [gate, verdict.status, verdict.score]);
  const failing = failingIn(iteration);
  const name = JSON.stringify([status, failing.length > 0 ? failing : outputsOf(iteration)]);
  verdictKeys.set(iteration.verdicts, name);
  return name;
}

/** Returns the circle that the latest iteration closes, of any length. */
export function findCycle(run: Run): Circle | undefined {
  const iterations = iterationsSinceResume(run);
  const latest = iterations.at(-1);
  if (!latest || !hasWorked(latest)) return undefined;
  const sameFiles = iterations.filter(
    (each) => each.snapshot?.tree === latest.snapshot?.tree && hasWorked(each),
  );
  if (sameFiles.length < MIN_OCCURRENCES) return undefined;
  const same = sameFiles.filter((each) => verdictKey(each) === verdictKey(latest));
  if (same.length < MIN_OCCURRENCES) return undefined;
  const numbers = joinNumbers(same.map(({ number }) => number));
  return {
    what: `iterations ${numbers} left the same files and the same failures`,
    failing: failingIn(latest),
  };
}
