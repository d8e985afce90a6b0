// Tells whether a run has come back to a state that it was in before: the same files, and the same tests failing.
import type { Iteration, Run } from "#spec/run";
import { stable } from "#spec/stable";
import { type Circle, inWords } from "./circle.ts";

/** As often as a state must come up to be a circle, at whatever distance. */
const TIMES = 3;

/** Names of the tests that fail, stable over iterations, each once. */
export function failingIn({ verdicts }: Iteration): readonly string[] {
  const ids = verdicts.flatMap(({ verdict }) =>
    verdict.failures.flatMap(({ id }) => (id ? [stable(id)] : [])),
  );
  return [...new Set(ids)].sort();
}

// Each decision asks about all iterations so far, and the verdicts of all but the last were asked about before.
const named = new WeakMap<Iteration["verdicts"], string>();

function judgedAs(iteration: Iteration): string {
  const found = named.get(iteration.verdicts);
  if (found !== undefined) return found;
  const status = iteration.verdicts.map(({ gate, verdict }) => [gate, verdict.status, verdict.score]);
  const name = JSON.stringify([status, failingIn(iteration)]);
  named.set(iteration.verdicts, name);
  return name;
}

/** An agent that failed shows nothing. */
const shows = ({ snapshot, agent }: Iteration): boolean => snapshot !== undefined && agent?.ok !== false;

/** The circle that the latest iteration closes, however long it is. */
export function findCycle({ iterations }: Run): Circle | undefined {
  const latest = iterations.at(-1);
  if (!latest || !shows(latest)) return undefined;
  const sameFiles = iterations.filter((each) => shows(each) && each.snapshot?.tree === latest.snapshot?.tree);
  if (sameFiles.length < TIMES) return undefined;
  const same = sameFiles.filter((each) => judgedAs(each) === judgedAs(latest));
  if (same.length < TIMES) return undefined;
  const numbers = inWords(same.map(({ number }) => number));
  return {
    what: `iterations ${numbers} left the same files and the same failures`,
    failing: failingIn(latest),
  };
}
