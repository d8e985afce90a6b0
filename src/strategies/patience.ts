// `hybrid` without numbers: continues up to the limit while something improves within a patience.
import { failingCount } from "#rules/best-iteration";
import { redGates } from "#rules/success";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { likelihood } from "#text/format";
import { worthOf } from "./adaptive/expected-value.ts";
import type { Weights } from "./adaptive/hazard.ts";
import { observationsOf } from "./adaptive/observations.ts";
import { lastImprovement } from "./improvement.ts";
import { isLastIteration, usedUp } from "./shared/last-iteration.ts";

/** Iterations in a row without an improvement that end a run. Measured in decision record 36. */
const PATIENCE = 8;

/** Training examples that a project needs before its model may end a run earlier. */
export const MIN_TRANSITIONS = 100;
/** Iterations without an improvement before the model applies. */
const MIN_STALE = 2;
/** Value of a solved task in the model, in costs of one iteration. */
const VALUE = 150;

export function spendPatience(run: Run, latest: Iteration, weights: Weights | undefined): Decision {
  if (isLastIteration(run)) return usedUp(run);
  const limit = run.task.limits.iterations;
  const last = lastImprovement(run);
  const stale = latest.number - last;
  if (stale >= PATIENCE)
    return { continue: false, reason: describeStandstill(run, latest, last), confidence: 0.8 };
  const chance = stale >= MIN_STALE ? hopelessChance(run, limit - latest.number, weights) : undefined;
  if (chance !== undefined) {
    const learned = `the next iteration would pass with ${likelihood(chance)}, learned from earlier runs of this project`;
    return {
      continue: false,
      reason: `${describeStandstill(run, latest, last)}; ${learned}`,
      confidence: 0.8,
    };
  }
  const standstill = stale >= MIN_STALE ? `, nothing better for ${stale} of ${PATIENCE} iterations` : "";
  return {
    continue: true,
    reason: `on to iteration ${latest.number + 1} of ${limit}${standstill}`,
    confidence: 0.8,
  };
}

/** Probability that the next iteration passes, when the model is trained and no further iteration is worth its cost. */
function hopelessChance(run: Run, left: number, weights: Weights | undefined): number | undefined {
  const observation = observationsOf(run).at(-1);
  if (!weights || weights.transitions < MIN_TRANSITIONS || !observation) return undefined;
  const { gain, next } = worthOf(weights, observation, { left, value: VALUE });
  return gain > 0 ? undefined : next;
}

function describeStandstill(run: Run, latest: Iteration, last: number): string {
  const since = last === 0 ? "since the start" : `since iteration ${last}`;
  const failing = failingCount(latest);
  const verb = (count: number) => (count === 1 ? "fails" : "fail");
  if (latest.verdicts.some(({ verdict }) => verdict.tests !== undefined && verdict.tests.failed > 0))
    return `no test has been fixed ${since} (${failing} still ${verb(failing)})`;
  const red = redGates(run, latest);
  const still = red.length === 0 ? "" : ` (${red.join(", ")} still ${verb(red.length)})`;
  return `nothing has improved ${since}${still}`;
}
