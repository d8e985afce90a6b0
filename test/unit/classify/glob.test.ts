import picomatch from "picomatch";
import { expect, it } from "vitest";
import { LIKELY_TEST_NAMES, TEST_NAMES } from "#classify/shared/conventions";
import { anyName, fastGlob, glob } from "#classify/shared/glob";
import { type CompiledRule, compile, type Rule, ruleFinder } from "#classify/shared/rule";

const FILES = [
  ...["a", "b", "a/b", "a/b/c", "src/a.ts", "src/x/a.test.ts", "test", "test/a", "c/x", "d/x", "b/x", "bc"],
  ...["}c", "[}b]c", "a{b", "a}b", "a*b/c", "axb/c", "./src/a.ts", 'a"b', "ab", "(group)/a", "a\nb", ".a/.b"],
  ...["lib/test_a.py", "thing_test.go", "a/FooTest.java", "run-tests.sh", "test-utils.ts", "a/tests.rs"],
];

it.each([
  ...["./src/*.ts", "a/**", "a/**/b", "**/a", "{a,{b,{c,d}}}/x", "[}b]c", "[{]*", "a{b", "a}b", "a\\*b/**"],
  ...['a"b', "(group)/*", "a|b", "[!a]*", "**", "*", "a?b", "test/**", "{a,b}", "**/{src,lib}/**", "*/x"],
])("%s matches the same files as picomatch", (pattern) => {
  const escaped = pattern.replace(/[()|]/g, "\\$&");
  const theirs = picomatch(escaped, { dot: true, nonegate: true, noextglob: true, flags: "s" });
  expect(FILES.filter(glob(pattern))).toEqual(FILES.filter((file) => theirs(file)));
});

it("matches the same names with a combined pattern as with separate ones", () => {
  const patterns = [...TEST_NAMES.map(([pattern]) => pattern), ...LIKELY_TEST_NAMES];
  const matchers = patterns.map(fastGlob);
  const each = FILES.filter((file) => matchers.some((matches) => matches(file)));
  expect(FILES.filter(anyName(patterns))).toEqual(each);
  expect(each).toHaveLength(7);
});

it("finds the first matching rule among exact paths and patterns", () => {
  const patterns = ["src/x/a.test.ts", "**/*.ts", "src/a.ts", "a", "a", "**/a"];
  const rules = patterns.map((pattern): Rule => ({ pattern, class: "test", reason: "" })).map(compile);
  const first = (file: string): CompiledRule | undefined => rules.find(({ matches }) => matches(file));
  const find = ruleFinder(rules);
  for (const file of FILES) expect(find(file)).toBe(first(file));
});
