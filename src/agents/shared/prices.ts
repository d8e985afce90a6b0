// Model prices, for CLIs that report tokens but no cost. Prices change, and users can give their own.
import type { Price, Usage } from "#spec/agent";

export type Prices = Readonly<Record<string, Price>>;

const price = (input: number, cached: number, output: number): Price => ({ input, cached, output });

/** List prices for standard requests, as of 2025-12-01. Newer models are missing. */
export const PRICES: Prices = {
  "claude-opus-4-5": price(5, 0.5, 25),
  "claude-opus-4-1": price(15, 1.5, 75),
  "claude-opus-4": price(15, 1.5, 75),
  "claude-sonnet-4-5": price(3, 0.3, 15),
  "claude-sonnet-4": price(3, 0.3, 15),
  "claude-haiku-4-5": price(1, 0.1, 5),
  "claude-3-5-haiku": price(0.8, 0.08, 4),
  "gpt-5.1": price(1.25, 0.125, 10),
  "gpt-5.1-codex": price(1.25, 0.125, 10),
  "gpt-5.1-codex-mini": price(0.25, 0.025, 2),
  "gpt-5": price(1.25, 0.125, 10),
  "gpt-5-codex": price(1.25, 0.125, 10),
  "gpt-5-mini": price(0.25, 0.025, 2),
  "gpt-5-nano": price(0.05, 0.005, 0.4),
  "gpt-4.1": price(2, 0.5, 8),
  "gpt-4.1-mini": price(0.4, 0.1, 1.6),
  o3: price(2, 0.5, 8),
  "o4-mini": price(1.1, 0.275, 4.4),
  "gemini-2.5-pro": price(1.25, 0.125, 10),
  "gemini-2.5-flash": price(0.3, 0.03, 2.5),
  "gemini-2.5-flash-lite": price(0.1, 0.01, 0.4),
  "gemini-3-pro": price(2, 0.2, 12),
};

/** Longest matching prefix, so that dated versions find their family. */
function priceOf(model: string, prices: Prices): Price | undefined {
  const bare = model.slice(model.lastIndexOf("/") + 1);
  const names = Object.keys(prices).filter((name) => name === model || isFamily(name, bare));
  const [best] = names.sort((a, b) => b.length - a.length);
  return best === undefined ? undefined : prices[best];
}

/** `claude-opus-4` is the family of `claude-opus-4-20250514`, but not of `claude-opus-4-6`. */
function isFamily(name: string, model: string): boolean {
  return (
    model === name ||
    (model.startsWith(`${name}-`) &&
      /^-(\d{3,8}(-\d\d){0,2}|latest|preview.*)$/.test(model.slice(name.length)))
  );
}

/** Undefined when model or tokens are unknown: never zero, never a guess. */
export function costOf(model: string | undefined, usage: Usage, own: Prices = {}): number | undefined {
  const price = model === undefined ? undefined : (priceOf(model, own) ?? priceOf(model, PRICES));
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage;
  if (!price || inputTokens === undefined || outputTokens === undefined) return undefined;
  const cached = Math.min(cachedTokens, inputTokens);
  const dollars =
    (inputTokens - cached) * price.input +
    cached * (price.cached ?? price.input) +
    outputTokens * price.output;
  return dollars / 1_000_000;
}

/** Adds the cost, as reported or computed from prices; leaves it absent when unknown. */
export function withCost(usage: Usage, model: string | undefined, own?: Prices): Usage {
  const cost = usage.costUsd ?? costOf(model, usage, own);
  return { ...usage, ...(cost !== undefined && { costUsd: cost }) };
}
