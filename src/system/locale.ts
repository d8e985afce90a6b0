// Locale of a program whose output is parsed: English messages, everything else as the user has it.
import type { Env } from "./environment.ts";

/**
 * What to change in an environment so that translated programs (make, gcc, bash) print English. LC_ALL overrides every
 * other category, so it becomes LANG, and the categories that it has overridden are removed.
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
