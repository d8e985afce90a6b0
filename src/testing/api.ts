/** What the suites need of a test runner; vitest, jest and bun have it. */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (actual: unknown) => { toEqual(expected: unknown): unknown };
}

/** The rules that are broken, for `expect(...).toEqual([])`: a failing test then says which. */
export function broken(rules: readonly (readonly [kept: boolean, rule: string])[]): readonly string[] {
  return rules.filter(([kept]) => !kept).map(([, rule]) => `broken: ${rule}`);
}
