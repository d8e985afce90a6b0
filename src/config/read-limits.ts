// Parses new limits for a resumed run, with the keys of the task file.

import { check } from "#options/issues";
import { ConfigError } from "#spec/errors";
import type { Limits } from "#spec/task";
import { limits } from "./schema.ts";

const NAMES: Readonly<Record<string, keyof Limits>> = {
  iterations: "iterations",
  time: "timeMs",
  cost: "cost",
};

/** Returns only the given limits; the run keeps its others. */
export function readLimits(
  given: Readonly<Record<string, unknown>>,
  origin = "command line",
): Partial<Limits> {
  const checked = check<Limits>(limits, given);
  if (!checked.ok)
    throw new ConfigError(checked.findings.map(({ message }) => `${origin}: limits: ${message}`));
  const keys = Object.keys(given).map((name) => NAMES[name]);
  return Object.fromEntries(
    Object.entries(checked.data).filter(([name]) => keys.includes(name as keyof Limits)),
  );
}
