// Locale of a program whose output is parsed: English messages, all other categories as the user has them.
import type { Env } from "./environment.ts";

/**
 * Returns the environment changes that make translated programs (make, gcc, bash) print English. LC_ALL overrides every
 * other category, so its value moves to LANG, and the overridden categories are removed.
 */
export function englishMessages(env: Env): Record<string, string | undefined> {
  const english = { LC_MESSAGES: "C.UTF-8", LANGUAGE: undefined };
  if (!env.LC_ALL) return english;
  const overridden = Object.keys(env).filter((name) => name.startsWith("LC_"));
  return {
    ...Object.fromEntries(overridden.map((name) => [name, undefined])),
    LANG: env.LC_ALL,
    ...english,
  };
}
