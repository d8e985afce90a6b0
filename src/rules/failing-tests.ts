// Counts failing tests and compares two iterations by them. A fraction of passing tests hardly moves in a large suite.

import type { Failing } from "#spec/progress";
import type { Iteration, Run } from "#spec/run";
import type { TestCounts, Verdict } from "#spec/verdict";
import { normalise } from "#text/normalise";
import { verdictOf } from "./success.ts";

/** The number of failing tests or checks; undefined when the gate reports no counts. */
function countFailing({ status, tests, failures }: Verdict): number | undefined {
  if (status === "passed") return 0;
  if (status !== "failed") return undefined;
  // With failed: 0, all tests passed but the gate failed for another reason, such as a linter: count its findings.
  if (tests && tests.failed > 0) return tests.failed;
  const hasNames = failures.length > 0 && failures.every(({ id }) => id !== undefined);
  return hasNames ? failures.length : undefined;
}

const ID_CHARS = 2_000;
const namesCache = new WeakMap<Verdict, ReadonlyMap<string, string>>();

/** Names of everything that fails, keyed by their normalised form, which is the same in every iteration. */
export function failingNames(verdict: Verdict): ReadonlyMap<string, string> {
  const names =
    namesCache.get(verdict) ??
    new Map(
      verdict.failures.flatMap(({ id }) =>
        id === undefined ? [] : [[normalise(id.slice(0, ID_CHARS)), id]],
      ),
    );
  namesCache.set(verdict, names);
  return names;
}

/** The counts of a verdict with failing tests. */
function failingTests({ tests }: Verdict): TestCounts | undefined {
  return tests && tests.failed > 0 ? tests : undefined;
}

/** Whether two counts are comparable: tests that no longer run are not fixed, and compiler or linter errors are not tests. */
function isComparable(before: Verdict, now: Verdict): boolean {
  if (before.status === "passed" || now.status === "passed") return true;
  const [was, is] = [failingTests(before), failingTests(now)];
  if (was && is) return is.failed >= was.failed || is.passed >= was.passed;
  if (was || is) return false;
  const earlier = failingNames(before);
  return [...failingNames(now).keys()].some((id) => earlier.has(id));
}

/** Failing counts of one gate in two iterations; undefined when they are not comparable. */
export function compareFailing(before: Verdict | undefined, now: Verdict): Required<Failing> | undefined {
  const was = before && countFailing(before);
  const is = countFailing(now);
  if (!before || was === undefined || is === undefined || !isComparable(before, now)) return undefined;
  return { before: was, now: is };
}

function isUnchanged(before: Verdict | undefined, now: Verdict): boolean {
  return before?.status === now.status && before.score === now.score;
}

/** The last scored iteration before this one. */
export function judgedBefore({ baseline, iterations }: Run, number: number): Iteration | undefined {
  for (let at = number - 1; at > 0; at--)
    if (iterations[at - 1]?.score !== undefined) return iterations[at - 1];
  return number > 0 && baseline.score !== undefined ? baseline : undefined;
}

/** Sums the failing tests over all gates. A gate without counts makes the sum unknown, unless its verdict is unchanged. */
export function failingOf(run: Run, iteration: Iteration): Failing | undefined {
  const earlier = judgedBefore(run, iteration.number);
  const pairs = iteration.verdicts.map(({ gate, verdict }) => {
    const before = earlier && verdictOf(earlier, gate);
    const change = compareFailing(before, verdict);
    return { now: verdict, change, isSame: isUnchanged(before, verdict) };
  });
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const changes = pairs.flatMap(({ change }) => change ?? []);
  if (
    changes.some(({ before, now }) => before + now > 0) &&
    pairs.every((pair) => pair.change ?? pair.isSame)
  )
    return { before: sum(changes.map((each) => each.before)), now: sum(changes.map((each) => each.now)) };
  const counts = pairs.map(({ now }) => countFailing(now));
  const isCounted = pairs.some(({ now }) => now.tests) || counts.some((count) => (count ?? 0) > 0);
  return isCounted && counts.every((count) => count !== undefined) ? { now: sum(counts) } : undefined;
}
