// Simple rules to compare with, each as a strategy: what people use instead of a model.
const go = { continue: true, reason: "on", confidence: 1 };
const stop = { continue: false, reason: "the rule says so", confidence: 1 };
const when = (isOver) => (run) => (isOver(run.iterations) ? stop : go);

const tree = (iteration) => iteration.snapshot?.tree;
const output = (iteration) => iteration.verdicts[0]?.verdict.evidence.stdout ?? "";
const score = (iteration) => iteration.score ?? 0;

/** So many iterations at the end, of which each is like the one before it. */
function inARow(iterations, isLike) {
  let count = 1;
  for (let at = iterations.length - 1; at > 0 && isLike(iterations[at - 1], iterations[at]); at--) count++;
  return count;
}

const lines = (text) => new Set(text.split("\n"));
function jaccard(one, other) {
  const [mine, theirs] = [lines(one), lines(other)];
  const shared = [...mine].filter((line) => theirs.has(line)).length;
  return shared / (mine.size + theirs.size - shared);
}

function sinceBest(iterations) {
  let best = 0;
  for (const [at, iteration] of iterations.entries())
    if (score(iteration) > score(iterations[best])) best = at;
  return iterations.length - 1 - best;
}

/** Three iterations, and two more while the last score is high enough. */
function absoluteLevel(iterations) {
  if (iterations.length < 3) return false;
  return iterations.length >= 5 || score(iterations.at(-1)) < 0.5;
}

const sameAction = (one, other) => tree(one) === tree(other);
const sameBoth = (one, other) => sameAction(one, other) && output(one) === output(other);

/** The same action and observation four times, or two that alternate for six. Logs do not tell errors from failures. */
function stuck(iterations) {
  if (inARow(iterations, sameBoth) >= 4) return true;
  const six = iterations.slice(-6);
  const alternate = six.slice(2).every((iteration, at) => sameBoth(six[at], iteration));
  return six.length === 6 && alternate && !sameBoth(six[0], six[1]);
}

export const rules = {
  "fixed 5": when((iterations) => iterations.length >= 5),
  "patience 3": when((iterations) => sinceBest(iterations) >= 3),
  "hybrid 3+2 on absolute level": when(absoluteLevel),
  "Jaccard >= .95 three times": when(
    (iterations) => inARow(iterations, (one, other) => jaccard(output(one), output(other)) >= 0.95) >= 3,
  ),
  "3 identical actions": when((iterations) => inARow(iterations, sameAction) >= 3),
  "OpenHands stuck rules": when(stuck),
};
