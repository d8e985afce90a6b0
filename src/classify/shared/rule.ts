// Ordered classification rules: the first one that matches a path decides its class.
import type { Classified, FileClass } from "#spec/file-class";
import { fastGlob, isPath } from "./glob.ts";

export interface Rule {
  readonly pattern: string;
  readonly class: FileClass;
  readonly reason: string;
  /** Refuses new files that match, because they would change how existing tests run. */
  readonly refusesNew?: boolean;
  /** Only parts of the file are protected. */
  readonly inParts?: true;
}

const SOURCE: Classified = { class: "source", reason: "no rule makes it a test or a setting" };

export interface CompiledRule extends Rule {
  matches(file: string): boolean;
}

export const compile = (rule: Rule): CompiledRule => ({ ...rule, matches: fastGlob(rule.pattern) });

/** Finds the first rule that matches a path. */
export type FindRule = (file: string) => CompiledRule | undefined;

/** Rules with a literal path are looked up in a map: there may be hundreds of them. */
export function ruleFinder(rules: readonly CompiledRule[]): FindRule {
  const named = new Map<string, number>();
  const patterns: { readonly at: number; readonly rule: CompiledRule }[] = [];
  for (const [at, rule] of rules.entries())
    if (!isPath(rule.pattern)) patterns.push({ at, rule });
    else if (!named.has(rule.pattern)) named.set(rule.pattern, at);
  return (file) => {
    const own = named.get(file) ?? rules.length;
    for (const { at, rule } of patterns) {
      if (at > own) break;
      if (rule.matches(file)) return rule;
    }
    return rules[own];
  };
}

export function classFrom(find: FindRule, file: string): Classified {
  const rule = find(file);
  return rule ? { class: rule.class, reason: rule.reason } : SOURCE;
}
