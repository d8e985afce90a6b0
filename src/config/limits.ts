// The limits of a run: their options, and new limits for a run that is resumed.
import * as z from "zod";
import { duration, durationText } from "#options/duration";
import { check } from "#options/issues";
import { dropUndefined, option } from "#options/option";
import { count, positive } from "#options/values";
import { ConfigError } from "#spec/errors";
import { type Limits, TASK_DEFAULTS } from "#spec/task";

const { limits: DEFAULTS } = TASK_DEFAULTS;

/** Defaults of a run that nobody watches. A time limit in any layer replaces this one. */
export const UNATTENDED = { limits: { time: "8h" } };

const limitsMap = z.strictObject({
  iterations: option({
    schema: count(100_000),
    default: DEFAULTS.iterations,
    doc: "Ends the run after this many iterations; a number in the strategy counts too, and the smaller one applies.",
    see: "strategies.md",
  }),
  time: option({
    schema: duration,
    defaultText: `none in a terminal; \`${UNATTENDED.limits.time}\` without one, with \`--detach\` and for workers`,
    doc: "Ends the run after this much active time, also while an agent or a gate runs.",
  }),
  iteration: option({
    schema: duration,
    default: durationText(DEFAULTS.iterationMs),
    doc: "Ends an agent run, not the run, after this time.",
  }),
  idle: option({
    schema: duration,
    doc: "Ends an agent run, not the run, when the agent prints nothing for this time.",
  }),
  tokens: option({
    schema: count(1_000_000_000_000),
    doc: "Ends the run when the agents have reported this many tokens.",
  }),
  cost: option({
    schema: positive(1_000_000),
    doc: "Ends the run when the agents have reported this cost in US dollars.",
  }),
  agentFailures: option({
    schema: count(1000),
    default: DEFAULTS.agentFailures,
    doc: "Ends the run after this many failed agent runs in a row.",
  }),
});

export const limits = limitsMap.transform(
  ({ time, iteration, idle, ...rest }): Limits =>
    dropUndefined({ ...rest, iterationMs: iteration, timeMs: time, idleMs: idle }),
);

/** Limits that a resumed run may change, with their fields in the task. */
const RESUME_LIMITS: Readonly<Record<string, keyof Limits>> = {
  iterations: "iterations",
  time: "timeMs",
  cost: "cost",
};

/** Returns only the named limits; the run keeps its others. */
export function readLimits(
  values: Readonly<Record<string, unknown>>,
  origin = "command line",
): Partial<Limits> {
  const checked = check<Limits>(limits, values);
  if (!checked.ok)
    throw new ConfigError(checked.findings.map(({ message }) => `${origin}: limits: ${message}`));
  const fields = Object.keys(values).map((name) => RESUME_LIMITS[name]);
  return Object.fromEntries(
    Object.entries(checked.data).filter(([field]) => fields.includes(field as keyof Limits)),
  );
}
