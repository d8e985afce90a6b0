// Explains the metadata of a decision: chances and features of the adaptive strategy, and anything else.
import type { Decision } from "#spec/decision";
import { counted, likelihood } from "#text/format";

type Words = readonly [name: string, value: string];

const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

function describeInterval(value: unknown): string {
  const [low, high] = Array.isArray(value) ? value.map(number) : [];
  return low === undefined || high === undefined
    ? ""
    : ` (80% interval: ${likelihood(low)} to ${likelihood(high)})`;
}

const KNOWN: Readonly<Record<string, (value: number, all: Readonly<Record<string, unknown>>) => Words>> = {
  next: (value, { interval }) => [
    "Chance of the next iteration",
    `${likelihood(value)}${describeInterval(interval)}`,
  ],
  within: (value) => ["Chance of all remaining ones", likelihood(value)],
  grant: (value) => ["Iterations worth their cost", `up to ${value}`],
  transitions: (value) => [
    "Learned from",
    value === 0
      ? "no earlier runs: what holds for most projects"
      : `${counted(value, "iteration")} of earlier runs`,
  ],
};

/** Names of the groups of features. */
const FEATURES: Readonly<Record<string, string>> = {
  length: "number of iterations",
  stagnation: "iterations without improvement",
  progress: "progress so far",
  regression: "drop of the score",
  repeats: "repeated files",
  alike: "repeated messages and output",
  failures: "failing tests",
  effort: "cost of iterations",
};

/** Features for and against another iteration in log odds, the strongest first. */
function describeFeatures(value: unknown): Words[] {
  const all = Object.entries(value ?? {}).flatMap(([name, share]) => {
    const given = number(share);
    return given === undefined ? [] : [{ name: FEATURES[name] ?? name, share: given }];
  });
  const listed = (side: typeof all) =>
    side
      .toSorted((one, other) => Math.abs(other.share) - Math.abs(one.share))
      .map(({ name, share }) => `${name} (${share > 0 ? "+" : "−"}${Math.abs(share).toFixed(2)})`)
      .join(", ");
  const sides: Words[] = [
    ["For another iteration", listed(all.filter(({ share }) => share > 0))],
    ["Against it", listed(all.filter(({ share }) => share < 0))],
  ];
  return sides.filter(([, text]) => text !== "");
}

const CHANCES: Readonly<Record<string, string>> = {
  steered: "told once to change its approach",
  restarted: "one fresh start from the best files",
};

const MOST_CHARS = 300;

function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)} …` : text;
}

export function featuresOf({ metadata = {} }: Decision): readonly Words[] {
  return Object.entries(metadata).flatMap(([name, value]): Words[] => {
    const count = number(value);
    const known = KNOWN[name];
    if (known && count !== undefined) return [known(count, metadata)];
    if (name === "interval" && "next" in metadata) return [];
    if (name === "features") return describeFeatures(value);
    if (name === "chance") return [["Last chance used", CHANCES[String(value)] ?? shorten(value)]];
    return [[name, shorten(value)]];
  });
}
