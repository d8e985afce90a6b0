/** The part of a test runner's API that the suites use; vitest, jest and bun have it. */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (actual: unknown) => { toEqual(expected: unknown): unknown };
}

/** Lists the broken rules, for `expect(...).toEqual([])`, so that a failing test names them. */
export function brokenRules(rules: readonly (readonly [holds: boolean, rule: string])[]): readonly string[] {
  return rules.filter(([holds]) => !holds).map(([, rule]) => `broken: ${rule}`);
}
