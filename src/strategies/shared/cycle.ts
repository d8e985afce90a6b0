// Detects a circle: the agent arrived several times at the same files with the same failures.
import type { Iteration, Run } from "#spec/run";
import { stable } from "#text/normalise";
import { type Circle, inWords } from "./circle.ts";
import { hasWorked, iterationsSinceResume } from "./worked.ts";

/** Arrivals at one state that make a circle, at whatever distance. */
const TIMES = 3;

/** Names of the tests that fail, stable over iterations, each once. */
export function failingIn({ verdicts }: Iteration): readonly string[] {
  const ids = verdicts.flatMap(({ verdict }) =>
    verdict.failures.flatMap(({ id }) => (id ? [stable(id)] : [])),
  );
  return [...new Set(ids)].sort();
}

/** What the gates printed, for failures that have no names. */
function outputsOf({ verdicts }: Iteration): readonly string[] {
  return verdicts.map(({ verdict: { evidence } }) =>
    stable([evidence.stdout, evidence.stderr].filter(Boolean).join("\n")),
  );
}

// Every decision compares all iterations so far, so the names are cached.
const named = new WeakMap<Iteration["verdicts"], string>();

function judgedAs(iteration: Iteration): string {
  const found = named.get(iteration.verdicts);
  if (found !== undefined) return found;
  const status = iteration.verdicts.map(({ gate, verdict }) => [gate, verdict.status, verdict.score]);
  const failing = failingIn(iteration);
  const name = JSON.stringify([status, failing.length > 0 ? failing : outputsOf(iteration)]);
  named.set(iteration.verdicts, name);
  return name;
}

/** The circle that the latest iteration closes, however long it is. */
export function findCycle(run: Run): Circle | undefined {
  const iterations = iterationsSinceResume(run);
  const latest = iterations.at(-1);
  if (!latest || !hasWorked(latest)) return undefined;
  const sameFiles = iterations.filter(
    (each) => each.snapshot?.tree === latest.snapshot?.tree && hasWorked(each),
  );
  if (sameFiles.length < TIMES) return undefined;
  const same = sameFiles.filter((each) => judgedAs(each) === judgedAs(latest));
  if (same.length < TIMES) return undefined;
  const numbers = inWords(same.map(({ number }) => number));
  return {
    what: `iterations ${numbers} left the same files and the same failures`,
    failing: failingIn(latest),
  };
}
