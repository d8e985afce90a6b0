// What stood behind a decision, in words: the chances that the adaptive strategy saw, and whatever else was carried.
import type { Decision } from "#spec/decision";
import { chance } from "../../format.ts";

type Words = readonly [name: string, value: string];

const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

function intervalWords(value: unknown): string {
  const [low, high] = Array.isArray(value) ? value.map(number) : [];
  return low === undefined || high === undefined
    ? ""
    : ` (four times in five between ${chance(low)} and ${chance(high)})`;
}

const KNOWN: Readonly<Record<string, (value: number, all: Readonly<Record<string, unknown>>) => Words>> = {
  next: (value, { interval }) => ["The next iteration passes", `${chance(value)}${intervalWords(interval)}`],
  within: (value) => ["One of those left passes", chance(value)],
  grant: (value) => ["Further iterations worth their cost", `up to ${value}`],
  transitions: (value) => [
    "Learned from",
    value === 0 ? "nothing yet: what is believed of any project" : `${value} iterations of earlier runs`,
  ],
};

/** Kinds of features by what they say. */
const FEATURES: Readonly<Record<string, string>> = {
  length: "how many iterations there were",
  stagnation: "how long nothing has improved",
  progress: "what has been reached",
  regression: "how far the score fell",
  repeats: "files seen before",
  alike: "the same words and output again",
  failures: "which tests fail",
  effort: "what iterations cost",
};

/** What spoke for another iteration and what against it, the strongest first, in log odds. */
function carriedWords(value: unknown): Words[] {
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
    ["Speaks for another", listed(all.filter(({ share }) => share > 0))],
    ["Speaks against it", listed(all.filter(({ share }) => share < 0))],
  ];
  return sides.filter(([, text]) => text !== "");
}

const CHANCES: Readonly<Record<string, string>> = {
  steered: "told once to change its approach",
  restarted: "one fresh start from the best files",
};

const MOST_CHARS = 300;

function plainWords(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)} …` : text;
}

export function featuresOf({ metadata = {} }: Decision): readonly Words[] {
  return Object.entries(metadata).flatMap(([name, value]): Words[] => {
    const count = number(value);
    const known = KNOWN[name];
    if (known && count !== undefined) return [known(count, metadata)];
    if (name === "interval" && "next" in metadata) return [];
    if (name === "features") return carriedWords(value);
    if (name === "chance") return [["Used its chance", CHANCES[String(value)] ?? plainWords(value)]];
    return [[name, plainWords(value)]];
  });
}
