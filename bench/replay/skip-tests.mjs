// Turns the tests of a file off in the way of its language. Text without tests comes back as it was.

const JAVASCRIPT = [[/^(\s*(?:t\.)?)(it|test|describe|context|suite)(\(|\.serial\()/gm, "$1$2.skip$3"]];
const CATCH2 = /^(\s*(?:TEST_CASE|SCENARIO)\("(?:[^"\\]|\\.)*")(?:,\s*"([^"]*)")?\)/gm;
const C = [
  [CATCH2, '$1, "[.]$2")'],
  [/^(\s*)(TEST|TEST_F|TYPED_TEST)\((\w+),\s*(\w+)\)/gm, "$1$2($3, DISABLED_$4)"],
  [/^(\s*)(RUN_TEST\()/gm, "$1if (0) $2"],
  [/^(int main\s*\([^;{]*\)\s*\{)/gm, "$1 return 0;"],
];

const RULES = [
  [/\.[cm]?[jt]sx?$/, JAVASCRIPT],
  [/\.py$/, [[/^([ \t]*)((?:async )?def test)/gm, '$1@__import__("unittest").skip("later")\n$1$2']]],
  [/\.go$/, [[/^(func Test\w*\((\w+) \*testing\.T\) \{)$/gm, '$1\n\t$2.Skip("later")']]],
  [/\.rs$/, [[/^(\s*)#\[test\]$/gm, '$1#[test]\n$1#[ignore = "later"]']]],
  [/\.java$/, [[/^(\s*)@Test\b/gm, "$1@org.junit.jupiter.api.Disabled\n$1@Test"]]],
  [
    /\.rb$/,
    [
      [/^(\s*)(it|describe|context)(?= ['"])/gm, "$1x$2"],
      [/^(\s*)(def test_\w+)$/gm, "$1$2\n$1  skip"],
    ],
  ],
  [
    /\.php$/,
    [[/^(\s*)((?:public )?function test\w*\([^)]*\)[^{;]*\{)/gm, '$1$2 $$this->markTestSkipped("later");']],
  ],
  [/\.t$/, [[/^/, 'BEGIN { print "1..0 # SKIP later\\n"; exit 0 }\n']]],
  [/\.bats$/, [[/^(@test .*\{)$/gm, "$1\n  skip later"]]],
  [/\.(?:c|cc|cpp)$/, C],
];

export function skipTests(file, text) {
  const [, edits = []] = RULES.find(([pattern]) => pattern.test(file)) ?? [];
  return edits.reduce((skipped, [from, to]) => skipped.replace(from, to), text);
}
