// Ordered rules: the first one that matches a path decides its class.
import type { Classified, FileClass } from "#spec/file-class";
import { fastGlob } from "./glob.ts";

export interface Rule {
  readonly pattern: string;
  readonly class: FileClass;
  readonly reason: string;
  /** New files that match would change how existing tests run. */
  readonly refusesNew?: boolean;
  /** Only parts of the file are protected. */
  readonly inParts?: true;
}

const SOURCE: Classified = { class: "source", reason: "no rule makes it a test or a setting" };

export interface CompiledRule extends Rule {
  matches(file: string): boolean;
}

export const compile = (rule: Rule): CompiledRule => ({ ...rule, matches: fastGlob(rule.pattern) });

export function firstMatch(rules: readonly CompiledRule[], file: string): CompiledRule | undefined {
  return rules.find((rule) => rule.matches(file));
}

export function classFrom(rules: readonly CompiledRule[], file: string): Classified {
  const rule = firstMatch(rules, file);
  return rule ? { class: rule.class, reason: rule.reason } : SOURCE;
}
