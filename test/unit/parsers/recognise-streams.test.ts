import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { recogniseStreams } from "#parsers/recognise";

const folder = new URL("../../fixtures/runners/", import.meta.url);

function stream(name: string, which: "stdout" | "stderr"): string {
  const file = new URL(`${name}.${which}.txt`, folder);
  // Gates recognise output with paths relative to the workspace.
  return existsSync(file) ? readFileSync(file, "utf8").replaceAll("/project/", "") : "";
}

const reportOf = (name: string) => recogniseStreams(stream(name, "stdout"), stream(name, "stderr"));

type Numbers = [format: string, total: number, passed: number, failed: number, skipped: number];
type Expectation = [id: string, location?: string | undefined, expected?: string, actual?: string];

const vitestFailures: Expectation[] = [
  ["test/broken.test.ts", "test/broken.test.ts:2"],
  ["test/math.test.ts > adds > carries", "test/math.test.ts:4", "11", "10"],
  ["test/math.test.ts > adds > compares objects", "test/math.test.ts:5", '"b": 3,', '"b": 2,'],
  ["test/math.test.ts > throws", "test/math.test.ts:8"],
];
// vitest 1 and 2 do not print where a missing module is imported.
const oldVitestFailures = vitestFailures.with(0, ["test/broken.test.ts"]);

const goFailures: Expectation[] = [
  ["example.com/p/math/TestCarries", "example.com/p/math/math_test.go:8"],
  ["example.com/p/math/TestTable/two_words", "example.com/p/math/math_test.go:15"],
  ["broken/broken.go: undefined: missing", "broken/broken.go:3"],
  [
    "broken/broken.go: cannot use 3 (untyped int constant) as string value in variable declaration",
    "broken/broken.go:5",
  ],
];

const unittestFailures: Expectation[] = [
  ["tests.test_broken", "tests/test_broken.py:1"],
  ["tests.test_math.Adds.test_raises", "tests/test_math.py:24"],
  ["tests.test_math.WithSetUp.setUpClass", "tests/test_math.py:35"],
  ["tests.test_math.Adds.test_carries", "tests/test_math.py:9"],
  ["tests.test_math.Adds.test_each (n=2)", "tests/test_math.py:29"],
  ["tests.test_math.Adds.test_objects", "tests/test_math.py:13"],
];
const cargoFailures: Expectation[] = [
  ["tests::says", "src/lib.rs:16"],
  ["tests::wraps", "src/lib.rs:12", '["aaa bbb", "ccc"]', '["aaa", "bbb", "ccc"]'],
  ["src/lib.rs - double (line 3)", "src/lib.rs:5", "5", "4"],
];

const avaFailures: Expectation[] = [
  ["math > carries", "test/math.js:3", "11", "10"],
  ["math > compares objects", "test/math.js:4", "b: 3,", "b: 2,"],
  ["math > throws", "test/math.js:5"],
  ["math > rejects", "test/math.js:9"],
  ["other > truth > of things", "test/other.js:2"],
  ["test/broken.js", "test/broken.js:2"],
];

const minitestFailures: Expectation[] = [
  ["MathTest#test_raises", "test/math_test.rb:12"],
  ["MathTest#test_objects", "test/math_test.rb:20", "{:a=>1, :b=>3}", "{:a=>1, :b=>2}"],
  ["MathTest#test_carries", "test/math_test.rb:8", "11", "10"],
  ["a list::when empty#has no first", "test/spec_test.rb:5"],
];

const mavenFailures: Expectation[] = [
  ["p.MathTest.raises", "p/MathTest.java:19"],
  ["p.MathTest.each(int)[2]", "p/MathTest.java:28", "true", "false"],
  ["p.MathTest.carries", "p/MathTest.java:14", "11", "10"],
  ["p.MathTest$Deep.inner", "p/MathTest.java:33"],
  ["p.OldTest.compares", "p/OldTest.java:12", "[one]", "[two]"],
];

const automakeFailures: Expectation[] = [["adds.test"], ["words.test"], ["broken.test"]];
const catchFailures: Expectation[] = [
  ["carries", "catch.cpp:13"],
  ["a list", "catch.cpp:17"],
];
const ctestFailures: Expectation[] = [["adds"], ["words"], ["crash"], ["missing"]];

const mesonFailures: Expectation[] = [["demo:math / adds"], ["demo / crash"]];
const proveFailures: Expectation[] = [["t/dies.t"], ["t/math.t > carries", "t/math.t:3", "11", "10"]];

const phpunitFailures: Expectation[] = [
  ["MathTest::testThrows", "tests/MathTest.php:23"],
  ["MathTest::testCarries", "tests/MathTest.php:13", "11", "10"],
  ["MathTest::testObjects", "tests/MathTest.php:18", "'b' => 3", "'b' => 2"],
  ['MathTest::testEach with data set "two"', "tests/MathTest.php:34"],
];
const tapFailures: Expectation[] = [
  ["test/broken.js", "test/broken.js:1"],
  ["test/math.js > adds > carries > five and five", "test/math.js:8", "11", "10"],
  ["test/math.js > adds > carries > should be equivalent", "test/math.js:9", '"b": 3,', '"b": 2,'],
  [`test/math.js > throws > Unexpected token 'o', "nope" is not valid JSON`, "test/math.js:15"],
  ["test/other.js > has an x", "test/other.js:3", "/x/", '"abc"'],
];

/** Recorded from real programs: both streams, including the output of wrappers such as npm. */
const table: [name: string, numbers: Numbers, failures: Expectation[]][] = [
  ["vitest1", ["vitest", 6, 1, 4, 1], oldVitestFailures],
  ["vitest2", ["vitest", 6, 1, 4, 1], oldVitestFailures],
  ["vitest3", ["vitest", 6, 1, 4, 1], vitestFailures],
  ["vitest4", ["vitest", 6, 1, 4, 1], vitestFailures],
  [
    "jest29",
    ["jest", 5, 1, 3, 1],
    [
      ["test/math.test.js > adds > carries", "test/math.test.js:3", "11", "10"],
      ["test/math.test.js > throws", "test/math.test.js:6"],
      ["test/broken.test.js", "test/broken.test.js:1"],
    ],
  ],
  [
    "jest30",
    ["jest", 5, 1, 3, 1],
    [
      ["test/math.test.js > adds > carries", "test/math.test.js:3", "11", "10"],
      ["test/math.test.js > throws", "test/math.test.js:6"],
      ["test/broken.test.js", "test/broken.test.js:1"],
    ],
  ],
  [
    "mocha11",
    ["mocha", 4, 1, 2, 1],
    [
      ["throws", "test/math.js:7"],
      ["adds > carries", "test/math.js:4", "11", "10"],
    ],
  ],
  ["tape5", ["tap", 3, 2, 1, 0], [["carries", "test/math.js:2", "11", "10"]]],
  ["tap16", ["tap", 9, 2, 5, 2], tapFailures],
  ["tap18", ["tap", 9, 2, 5, 2], tapFailures],
  ["tap21", ["tap", 9, 2, 5, 2], [0, 4, 1, 2, 3].flatMap((at) => tapFailures.slice(at, at + 1))],
  [
    "bun",
    ["bun test", 15, 3, 10, 2],
    [
      ["test/broken.test.ts"],
      ["test/syntax.test.js", "test/syntax.test.js:1"],
      ["test/other.test.ts > hooked > (unnamed)", "test/other.test.ts:5"],
      ["test/other.test.ts > fails"],
      ["test/other.test.ts > slow"],
      ["test/math.test.js > adds > carries", "test/math.test.js:5", "11", "10"],
      ["test/math.test.js > adds > compares objects", "test/math.test.js:8", '"b": 3,', '"b": 2,'],
      ["test/math.test.js > adds > deep > each 2", undefined, "< 2", "2"],
      ["test/math.test.js > throws", "test/math.test.js:15"],
      ["test/math.test.js > rejects", "test/math.test.js:18"],
    ],
  ],
  [
    "bun1.1",
    ["bun test", 16, 3, 11, 2],
    [
      ["test/broken.test.ts"],
      ["test/syntax.test.js", "test/syntax.test.js:1"],
      ["test/other.test.ts", "test/other.test.ts:5"],
      ["test/other.test.ts > hooked > never runs"],
      ["test/other.test.ts > fails"],
      ["test/other.test.ts > slow"],
      ["test/math.test.js > adds > deep > each 2", undefined, "< 2", "2"],
      ["test/math.test.js > adds > carries", "test/math.test.js:5", "11", "10"],
      ["test/math.test.js > adds > compares objects", "test/math.test.js:8", "b: 3,", "b: 2,"],
      ["test/math.test.js > throws", "test/math.test.js:15"],
      ["test/math.test.js > rejects", "test/math.test.js:18"],
    ],
  ],
  [
    "bun-many",
    ["bun test", 34, 28, 4, 2],
    [
      ["test/few.test.js > wrong", "test/few.test.js:3", '"b"', '"a"'],
      ...["3", "13", "23"].map((n): Expectation => [`test/many.test.js > case ${n}`, "test/many.test.js:2"]),
    ],
  ],
  ["uvu", ["uvu", 3, 1, 1, 1], [["math.js > carries", "test/math.js:4", "11", "10"]]],
  [
    "tap-spec",
    ["tap-spec", 6, 3, 3, 0],
    [
      ["adds > one and two", "test.js:2", "4", "3"],
      ["lists > should be equivalent", "test.js:4", "[ 1, { a: 3 } ]", "[ 1, { a: 2 } ]"],
      ["lists > should be equivalent (2)", "test.js:6", "[ 1 ]", "[ 3 ]"],
    ],
  ],
  [
    "jasmine5",
    ["jasmine", 4, 1, 2, 1],
    [
      ["adds carries", "spec/math.spec.js:3", "11", "10"],
      ["throws", "spec/math.spec.js:6"],
    ],
  ],
  ["cargo", ["cargo test", 4, 1, 3, 0], cargoFailures],
  [
    "cargo-1.65",
    ["cargo test", 4, 1, 3, 0],
    cargoFailures.with(2, ["src/lib.rs - double (line 3)", "src/lib.rs:4", "5", "4"]),
  ],
  ["unittest", ["unittest", 9, 1, 6, 2], unittestFailures],
  ["unittest-verbose", ["unittest", 9, 1, 6, 2], unittestFailures],
  ["unittest-syntax-error", ["unittest", 1, 0, 1, 0], [["tests.test_maths", "maths.py:3"]]],
  [
    "node20-unloaded",
    ["tap", 3, 1, 2, 0],
    [
      ["test/one.test.js", "test/one.test.js:1"],
      ["test/two.test.js", "test/two.test.js:1"],
    ],
  ],
  ["django", ["unittest", 2, 1, 1, 0], [["app.tests.Adds.test_carries", "app/tests.py:9"]]],
  ["ava5", ["ava", 11, 3, 6, 2], avaFailures],
  ["ava6", ["ava", 11, 3, 6, 2], avaFailures],
  ["ava-passing", ["ava", 1, 1, 0, 0], []],
  ["minitest", ["minitest", 6, 1, 4, 1], minitestFailures],
  ["minitest-verbose", ["minitest", 6, 1, 4, 1], minitestFailures],
  [
    "test-unit",
    ["test-unit", 5, 1, 2, 2],
    [
      ["MathTest#test_carries", "tu/math_test.rb:8", "11", "10"],
      ["MathTest#test_raises", "tu/math_test.rb:12"],
    ],
  ],
  [
    "phpunit9",
    ["phpunit", 11, 3, 5, 3],
    phpunitFailures.toSpliced(1, 0, ["MathTest::testWarns", "tests/MathTest.php:53"]),
  ],
  ["phpunit11", ["phpunit", 11, 4, 4, 3], phpunitFailures],
  ["rspec-rake", ["rspec", 2, 1, 1, 0], [["adds carries", "spec/math_spec.rb:3", "11", "10"]]],
  ["surefire", ["surefire", 10, 3, 5, 2], mavenFailures],
  [
    "surefire-2.22",
    ["surefire", 10, 3, 5, 2],
    mavenFailures.with(1, ["p.MathTest.each{int}[2]", "p/MathTest.java:28", "true", "false"]),
  ],
  [
    "gradle",
    ["gradle", 2, 0, 2, 0],
    [
      ["p.MathTest > raises", "p/MathTest.java:12"],
      ["p.OldTest > compares", "p/OldTest.java:12"],
    ],
  ],
  [
    "gradle-full",
    ["gradle", 2, 0, 2, 0],
    [
      ["p.MathTest > raises", "p/MathTest.java:12"],
      ["p.OldTest > compares", "p/OldTest.java:12", "[one]", "[two]"],
    ],
  ],
  [
    "junit-console",
    ["junit console", 7, 2, 4, 1],
    mavenFailures.slice(0, 4).with(1, ["p.MathTest.each[2] 2", "p/MathTest.java:28", "true", "false"]),
  ],
  ["automake", ["automake", 6, 1, 3, 2], automakeFailures],
  ["automake-de", ["automake", 6, 1, 3, 2], automakeFailures],
  ["automake-ja", ["automake", 6, 1, 3, 2], automakeFailures],
  ["catch2", ["catch2", 3, 1, 2, 0], catchFailures],
  [
    "catch3",
    ["catch2", 3, 1, 2, 0],
    [
      ["carries", "catch3.cpp:12"],
      ["a list", "catch3.cpp:16"],
    ],
  ],
  [
    "doctest",
    ["doctest", 3, 1, 2, 0],
    [
      ["carries", "doc.cpp:8"],
      ["lists > a list", "doc.cpp:13"],
    ],
  ],
  [
    "googletest",
    ["googletest", 6, 2, 3, 1],
    [["Adds.Carries", "gt.cpp:4"], ["Words.Throws"], ["Numbers/Each.Less/1", "gt.cpp:10"]],
  ],
  ["ctest", ["ctest", 6, 1, 4, 1], ctestFailures],
  ["ctest-make", ["ctest", 6, 1, 4, 1], ctestFailures],
  [
    "ctest-googletest",
    ["ctest", 3, 0, 3, 0],
    [
      ["unit > Adds.Carries", "gt.cpp:4"],
      ["unit > Words.Throws"],
      ["unit > Numbers/Each.Less/1", "gt.cpp:10"],
    ],
  ],
  [
    "ctest-unity",
    ["ctest", 2, 0, 2, 0],
    [
      ["maths > carries", "tests/maths.c:3"],
      ["words > splits", "tests/words.c:3"],
    ],
  ],
  [
    "unity",
    ["unity", 5, 2, 2, 1],
    [
      ["carries", "tests/maths.c:3"],
      ["splits", "tests/words.c:3"],
    ],
  ],
  ["meson", ["meson", 5, 1, 2, 2], mesonFailures],
  ["meson-errorlogs", ["meson", 5, 1, 2, 2], mesonFailures],
  ["bats", ["tap", 3, 1, 1, 1], [["carries", "test/math.bats:8"]]],
  ["prove", ["prove", 5, 3, 2, 0], proveFailures],
  ["prove-verbose", ["prove", 5, 3, 2, 0], proveFailures],
  ["go-packages", ["go test", 4, 0, 4, 0], goFailures],
  ["go-packages-passing", ["go test", 0, 0, 0, 0], []],
  ["go-packages-verbose", ["go test", 7, 3, 4, 0], goFailures],
];

describe("recorded runs", () => {
  test.each(table)("recognises %s in its two streams", (name, numbers, failures) => {
    const report = reportOf(name);
    const { total, passed, failed, skipped } = report?.counts ?? {};
    expect([report?.format, total, passed, failed, skipped]).toEqual(numbers);
    expect(
      report?.failures.map(({ id, location, expected, actual }) => [id, location, expected, actual]),
    ).toEqual(failures.map(([id, location, expected, actual]) => [id, location, expected, actual]));
  });

  it("covers every recorded fixture", () => {
    const names = new Set(readdirSync(folder).map((file) => file.replace(/\.std(?:out|err)\.txt$/, "")));
    expect(table.map(([name]) => name).sort()).toEqual([...names].sort());
  });
});

describe("a test file that does not load", () => {
  it("has its output as message in node:test", () => {
    const [first, second] = reportOf("node20-unloaded")?.failures ?? [];
    const printed = "maths.js:2\n@@ no JavaScript @@\n^\nSyntaxError: Invalid or unexpected token";
    expect([first?.message, second?.message]).toEqual([printed, printed]);
  });

  it.each(["tap16", "tap18", "tap21"])("has the crash on stderr as message: %s", (name) => {
    const { counts, failures } = reportOf(name) ?? {};
    expect(failures?.[0]?.message).toBe(
      "Error: Cannot find module './missing'\nRequire stack:\n- test/broken.js",
    );
    expect(counts?.extra).toBe(1);
  });
});

describe("CTest", () => {
  it("names the failing programs when only the end of its output is available", () => {
    const [, end = ""] = stream("ctest-make", "stdout").split(/(?=33% tests passed)/);
    const { counts, failures } = recogniseStreams(end, "") ?? {};
    expect(counts).toMatchObject({ total: 6, failed: 4 });
    expect(failures).toEqual([
      { id: "adds", message: "Failed" },
      { id: "words", message: "Failed" },
      { id: "crash", message: "SEGFAULT" },
      { id: "missing", message: "Not Run" },
    ]);
  });
});

describe("several runs in one output", () => {
  it("of bun are added up, although bun lists failing tests twice", () => {
    const many = stream("bun-many", "stderr");
    expect(recogniseStreams("", `${many}\n${many}`)?.counts).toMatchObject({ passed: 56, failed: 8 });
  });

  it("of bun are not split by a summary that a test printed", () => {
    const lying = stream("bun-many", "stderr").replace(
      "(pass) case 4",
      "Ran 3 tests across 1 file. [1ms]\n$&",
    );
    expect(recogniseStreams("", lying)?.counts).toMatchObject({ passed: 28, failed: 4 });
  });
});

describe("a source file that jest cannot parse", () => {
  const advice = [
    "Jest encountered an unexpected token",
    "",
    "Jest failed to parse a file. This happens e.g. when your code uses non-standard JavaScript syntax.",
    "",
    "Here's what you can do:",
    ...Array.from(
      { length: 20 },
      () => ' • If you need a custom transformation specify a "transform" option.',
    ),
    "",
    "Details:",
    "",
  ];
  const stack = [
    "",
    "  at Object.require (src/shop.js:1:1)",
    "  at Object.<anonymous> (test/shop.test.js:1:14)",
  ];
  const reported = (error: readonly string[]) =>
    [
      "FAIL test/shop.test.js",
      "  ● Test suite failed to run",
      "",
      ...[...error, ...stack].map((line) => (line === "" ? "" : `    ${line}`)),
      "",
      "Test Suites: 1 failed, 1 total",
      "Tests:       0 total",
      "",
    ].join("\n");
  const babel = "SyntaxError: /project/src/cart.js: Unexpected token (9:1)";

  test.each([
    ["Babel", [...advice, babel, "", "    8 | }", "  > 9 | @@ items", "      | ^"], babel],
    [
      "Node.js",
      [...advice, "src/cart.js:9", "@@ items", "^", "", "SyntaxError: Unexpected token"],
      "src/cart.js:9",
    ],
    ["ts-jest", ["src/cart.js:9:1 - error TS1128: Declaration expected."], "src/cart.js:9:1 - error TS1128"],
    ["esbuild", ["Transform failed with 1 error:", "src/cart.js:9:1: ERROR: Unexpected"], "Transform failed"],
  ])("has the error and its location: %s", (_, error, start) => {
    const [failure, ...rest] =
      recogniseStreams("", reported(error).replaceAll("/project/", ""))?.failures ?? [];
    expect(rest).toEqual([]);
    expect(failure).toMatchObject({ id: "test/shop.test.js", location: "src/cart.js:9" });
    expect(failure?.message.startsWith(start.replace("/project/", ""))).toBe(true);
  });
});

describe("a spec that RSpec cannot load", () => {
  it("has the location of the syntax error and leaves out the names of other specs", () => {
    const output = [
      "An error occurred while loading ./spec/cart_spec.rb. - Did you mean?",
      "                    rspec ./spec/tax_spec.rb",
      "",
      'Failure/Error: require_relative "shop/cart"',
      "",
      "SyntaxError:",
      "  lib/shop/cart.rb:9: syntax error, unexpected local variable or method",
      "  @@ items",
      "# ./lib/shop.rb:2:in `require_relative'",
      "# ./spec/cart_spec.rb:1:in `<top (required)>'",
      "",
      "Finished in 0.00005 seconds (files took 0.5 seconds to load)",
      "0 examples, 0 failures, 1 error occurred outside of examples",
      "",
    ];
    const [failure] = recogniseStreams(output.join("\n"), "")?.failures ?? [];
    expect(failure).toMatchObject({ id: "spec/cart_spec.rb", location: "lib/shop/cart.rb:9" });
    expect(failure?.message.split("\n")[0]).toBe('Failure/Error: require_relative "shop/cart"');
  });
});

describe("a Perl test file that dies", () => {
  const summary = (files: string) =>
    `Test Summary Report\n-------------------\n${files}Files=2, Tests=3,  1 wallclock secs ( 0.02 usr +  0.09 cusr =  0.11 CPU)\nResult: FAIL\n`;
  const died = (file: string) =>
    `${file} (Wstat: 65280 (exited 255) Tests: 0 Failed: 0)\n  Non-zero exit status: 255\n`;

  it("has the location in the module that does not compile", () => {
    const stderr = [
      'Bareword found where operator expected at lib/Cart.pm line 9, near "@@ items"',
      "\t(Missing operator before items?)",
      'syntax error at lib/Cart.pm line 9, near "@@ items"',
      "Compilation failed in require at t/cart.t line 3.",
      "BEGIN failed--compilation aborted at t/cart.t line 3.",
    ].join("\n");
    const [failure, ...rest] = recogniseStreams(summary(died("t/cart.t")), stderr)?.failures ?? [];
    expect(rest).toEqual([]);
    expect(failure).toMatchObject({ id: "t/cart.t", location: "lib/Cart.pm:9" });
    expect(failure?.message).toContain("syntax error at lib/Cart.pm line 9");
  });

  it("gives each file its own error", () => {
    const stderr =
      'Can\'t call method "sum" on an undefined value at t/cart.t line 12.\n# Looks like your test exited with 255.\nno tax table at t/tax.t line 4.\n';
    const files = recogniseStreams(summary(died("t/cart.t") + died("t/tax.t")), stderr)?.failures;
    expect(files?.map(({ id, location }) => [id, location])).toEqual([
      ["t/cart.t", "t/cart.t:12"],
      ["t/tax.t", "t/tax.t:4"],
    ]);
  });

  it("gets the last error when it is the only file that died, and none when two died", () => {
    const stderr = "careful at lib/Old.pm line 2.\nno connection at lib/Db.pm line 7.\n";
    const placesOf = (files: string) =>
      recogniseStreams(summary(files), stderr)?.failures.map(({ location }) => location);
    expect(placesOf(died("t/cart.t"))).toEqual(["lib/Db.pm:7"]);
    expect(placesOf(died("t/cart.t") + died("t/tax.t"))).toEqual([undefined, undefined]);
  });
});

describe("stdout and stderr", () => {
  it("prefers one compile error with its location to the list of packages that it breaks", () => {
    const packages = ["cart", "shop", "tax"].map((name) => `FAIL\texample.com/p/${name} [build failed]\n`);
    const stderr = "# example.com/p/cart\ncart/cart.go:9:1: syntax error: unexpected @\n";
    expect(recogniseStreams(`${packages.join("")}FAIL\n`, stderr)?.failures).toMatchObject([
      { id: "cart/cart.go: syntax error: unexpected @", location: "cart/cart.go:9" },
    ]);
  });

  const all = stream("vitest3", "stderr");

  it("counts a report on both streams once", () => {
    const whole = all + stream("vitest3", "stdout");
    expect(recogniseStreams(whole, whole)?.counts).toMatchObject({ total: 6, failed: 4 });
    expect(recogniseStreams(whole, whole)?.failures).toHaveLength(4);
  });

  it("keeps a pass when a test prints the failures of another run on stderr", () => {
    const passing = "\n RUN  v3.2.4 /project\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n";
    expect(recogniseStreams(passing, all)).toMatchObject({ counts: { passed: 2, failed: 0 }, failures: [] });
  });

  it("reads failures on stdout and counts on stderr", () => {
    const report = recogniseStreams(all, stream("vitest3", "stdout"));
    expect(report?.counts).toMatchObject({ total: 6, failed: 4 });
  });

  it("keeps the report of one stream when the other has another runner's output", () => {
    const report = recogniseStreams("TAP version 13\n1..1\nok 1 - fine\n", all);
    expect(report).toMatchObject({ format: "tap", counts: { passed: 1, failed: 0 } });
  });
});
