// What models cost, for CLIs that tell tokens and no money. Dated: prices change, and users can give their own.
import type { Price, Usage } from "#spec/agent";

export type Prices = Readonly<Record<string, Price>>;

/** The vendors' list prices for standard requests, as published on this day. */
export const PRICES_AS_OF = "2026-11-01";

export const PRICES: Prices = {};

/** The longest name that the model's begins with, so that dated versions find their family. */
function priceOf(model: string, prices: Prices): Price | undefined {
  const bare = model.slice(model.lastIndexOf("/") + 1);
  const names = Object.keys(prices).filter((name) => name === model || isFamily(name, bare));
  const [best] = names.sort((a, b) => b.length - a.length);
  return best === undefined ? undefined : prices[best];
}

/** `gpt-5` is the family of `gpt-5-2025-08-07`, and not of `gpt-5-mini`. */
function isFamily(name: string, model: string): boolean {
  return (
    model === name ||
    (model.startsWith(`${name}-`) && /^-(\d[\d-]*|latest|preview.*)$/.test(model.slice(name.length)))
  );
}

/** Undefined when the model or the tokens are not known: never zero, never a guess. */
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
