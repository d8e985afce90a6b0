import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { junitXml } from "#parsers/junit-xml";
import { readReport, recognise } from "#parsers/recognise";
import type { TestReport } from "#parsers/shared/report";
import { anyCharacter } from "../../support/any-character.ts";

const folder = new URL("../../fixtures/reports/", import.meta.url);
const fixtures = readdirSync(folder).sort();
const fixture = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const runners = new URL("../../fixtures/runners/", import.meta.url);
/** All recorded fixtures, including single streams. */
const recordings: readonly string[] = [
  ...fixtures.map(fixture),
  ...readdirSync(runners).map((name) => readFileSync(new URL(name, runners), "utf8")),
];
const ids = (report: TestReport | undefined) => report?.failures.map((failure) => failure.id);
const counted = (report: TestReport | undefined) => {
  if (report === undefined) return undefined;
  const { total, passed, failed, skipped } = report.counts;
  return [report.format, total, passed, failed, skipped];
};
const nodeNumbers = (failed: number) =>
  ["tests 9", "suites 0", "pass 9", `fail ${failed}`, "cancelled 0", "skipped 0", "todo 0"]
    .map((line) => `ℹ ${line}\n`)
    .join("");

type Row = [file: string, format: string, total: number, passed: number, failed: number, skipped: number];
type Expectation = [id: string | undefined, location: string | undefined];

const vitestFailures: Expectation[] = [
  ["test/broken.test.ts", "test/broken.test.ts:2"],
  ["test/math.test.ts > adds > carries", "test/math.test.ts:4"],
  ["test/math.test.ts > adds > compares objects", "test/math.test.ts:5"],
  ["test/math.test.ts > adds > deep > throws (sometimes)", "test/math.test.ts:7"],
  ["test/math.test.ts > each 2", "test/math.test.ts:13"],
];
const vitestTapFailures = vitestFailures.map(([id, place]): Expectation => [id, `/project/${place}`]);
const jestFailures: Expectation[] = [
  ["test/math.test.js > adds > carries", "test/math.test.js:3"],
  ["test/math.test.js > adds > compares objects", "test/math.test.js:4"],
  ["test/math.test.js > adds > deep > throws (sometimes)", "test/math.test.js:6"],
  ["test/math.test.js > each 2", "test/math.test.js:12"],
  ["test/broken.test.js", "test/broken.test.js:1"],
];
const nodeFailures: Expectation[] = [
  ["test/broken.test.js", "test/broken.test.js:1"],
  ["adds > carries", "test/math.test.js:5"],
  ["adds > deep > compares objects", "test/math.test.js:7"],
  ["adds > deep > throws (sometimes)", "test/math.test.js:8"],
  ["parent > child fails # hash", "test/math.test.js:15"],
];
const nodeTapFailures = nodeFailures.map(([id, place]): Expectation => [id, `/project/${place}`]);
// Node 20 names a file that did not load by its full path, and its JUnit report has no location for it.
const node20TapFailures: Expectation[] = [
  ["/project/test/broken.test.js", "/project/test/broken.test.js:1"],
  ...nodeTapFailures.slice(1),
];
const pytestFailures: Expectation[] = [
  ["tests/test_math.py::TestAdds::test_carries", "tests/test_math.py:9"],
  ["tests/test_math.py::test_each[2]", "tests/test_math.py:13"],
  ["tests/test_math.py::test_raises", "tests/test_math.py:16"],
  ["tests/test_math.py::test_objects", "tests/test_math.py:34"],
  ["tests/test_math.py::test_uses_broken", "tests/test_math.py:28"],
];
const goFailures: Expectation[] = [
  ["example.com/p/crash/TestPanics", "/project/crash/crash_test.go:7"],
  ["example.com/p/math/TestCarries", "example.com/p/math/math_test.go:9"],
  ["example.com/p/math/TestTable/two_words", "example.com/p/math/math_test.go:14"],
  ["example.com/p/math/TestTable/deep/inner", "example.com/p/math/math_test.go:16"],
  ["example.com/p/math/TestAfterwards", "example.com/p/math/math_test.go:22"],
  ["broken/broken_test.go: undefined: undefined", "broken/broken_test.go:5"],
];
const jestJsonFailures: Expectation[] = [
  ["/project/test/math.test.js > adds > carries", "/project/test/math.test.js:3"],
  ["/project/test/math.test.js > adds > compares objects", "/project/test/math.test.js:4"],
  ["/project/test/math.test.js > adds > deep > throws (sometimes)", "/project/test/math.test.js:6"],
  ["/project/test/math.test.js > each 2", "/project/test/math.test.js:12"],
  ["/project/test/broken.test.js", "test/broken.test.js:1"],
];
const vitestJsonFailures: Expectation[] = [
  ["/project/test/broken.test.ts", undefined],
  ["/project/test/math.test.ts > adds > carries", "/project/test/math.test.ts:4"],
  ["/project/test/math.test.ts > adds > compares objects", "/project/test/math.test.ts:5"],
  ["/project/test/math.test.ts > adds > deep > throws (sometimes)", "/project/test/math.test.ts:7"],
  ["/project/test/math.test.ts > each 2", "/project/test/math.test.ts:13"],
];
const mochaFailures: Expectation[] = [
  ["adds > carries", "test/math.test.js:3"],
  ["adds > compares objects", "test/math.test.js:5"],
  ["adds > deep > throws (sometimes)", "test/math.test.js:8"],
  ['with a hook > "before all" hook for "never runs"', "test/math.test.js:17"],
];
const rspecFailures: Expectation[] = [
  ["adds carries", "spec/math_spec.rb:6"],
  ["adds compares objects", "spec/math_spec.rb:9"],
  ["adds each 2", "spec/math_spec.rb:24"],
  ["adds deep throws (sometimes)", "spec/math_spec.rb:13"],
  ["adds deep is expected to eq 2", "spec/math_spec.rb:15"],
  ["with a hook never runs", "spec/math_spec.rb:29"],
];
const phpunitFailures: Expectation[] = [
  ["MathTest::testThrows", "/project/tests/MathTest.php:17"],
  ["MathTest::testCarries", "/project/tests/MathTest.php:9"],
  ["MathTest::testObjects", "/project/tests/MathTest.php:13"],
  ['MathTest::testEach with data set "two words"', "/project/tests/MathTest.php:22"],
  ["MathTest::testEach with data set #0", "/project/tests/MathTest.php:22"],
];
const dotnetFailures: Expectation[] = [
  ["Math.Tests.Adds.Carries", "/project/Math.Tests/Adds.cs:12"],
  ["Math.Tests.Adds.Each(n: 2)", "/project/Math.Tests/Adds.cs:17"],
  ["Math.Tests.Adds.Throws", "/project/Math.Tests/Adds.cs:20"],
];
const cargoFailures: Expectation[] = [
  ["tests::carries", "src/lib.rs:14"],
  ["tests::deep::fallible", undefined],
  ["tests::deep::raises", "src/lib.rs:18"],
  ["tests::deep::should", "src/lib.rs:23"],
  ["wrong", "tests/integration.rs:4"],
];

const table: [Row, Expectation[]][] = [
  [["vitest-mixed.txt", "vitest", 11, 4, 5, 2], vitestFailures],
  [["vitest-colour.txt", "vitest", 11, 4, 5, 2], vitestFailures],
  [["vitest-verbose.txt", "vitest", 11, 4, 5, 2], vitestFailures],
  [["vitest-dot.txt", "vitest", 11, 4, 5, 2], vitestFailures],
  [["vitest-passing.txt", "vitest", 1, 1, 0, 0], []],
  [["vitest-none.txt", "vitest", 0, 0, 0, 0], []],
  [["vitest-broken.txt", "vitest", 1, 0, 1, 0], vitestFailures.slice(0, 1)],
  [["vitest-hook.txt", "vitest", 3, 0, 1, 2], [["test/hook.test.ts > with a hook", "test/hook.test.ts:2"]]],
  [["vitest-unhandled.txt", "vitest", 2, 1, 1, 0], [[undefined, "test/unhandled.test.ts:2"]]],
  [["vitest-monorepo.txt", "vitest", 10, 4, 4, 2], vitestFailures.slice(1)],
  [
    ["vitest-nested.txt", "vitest", 2, 1, 1, 0],
    [["test/nested.test.ts > fails itself", "test/nested.test.ts:4"]],
  ],
  [["vitest-tap.txt", "tap", 11, 4, 5, 2], vitestTapFailures],
  [["vitest-tap-flat.txt", "tap", 11, 4, 5, 2], vitestTapFailures],
  [["vitest-junit.xml", "junit", 9, 3, 4, 2], vitestFailures.slice(1)],
  [["jest-mixed.txt", "jest", 11, 4, 5, 2], jestFailures],
  [["jest-colour.txt", "jest", 11, 4, 5, 2], jestFailures],
  [["jest-verbose.txt", "jest", 11, 4, 5, 2], jestFailures],
  [["jest-passing.txt", "jest", 1, 1, 0, 0], []],
  [["jest-none.txt", "jest", 0, 0, 0, 0], []],
  [["jest-monorepo.txt", "jest", 10, 4, 4, 2], jestFailures.slice(0, 4)],
  [["node20-spec.txt", "node:test", 12, 4, 6, 2], nodeFailures],
  [["node20-tty.txt", "node:test", 12, 4, 6, 2], nodeFailures],
  [["node24-spec.txt", "node:test", 12, 4, 6, 2], nodeFailures],
  [["node24-none.txt", "node:test", 0, 0, 0, 0], []],
  [["node24-monorepo.txt", "node:test", 11, 4, 5, 2], nodeFailures.slice(1)],
  [["node20-tap.txt", "tap", 12, 4, 6, 2], node20TapFailures],
  [
    ["node24-tap.txt", "tap", 12, 4, 6, 2],
    nodeTapFailures.with(0, ["test/broken.test.js", "/project/test/broken.test.js:1"]),
  ],
  [["node20-tap-none.txt", "tap", 0, 0, 0, 0], []],
  [
    ["node20-junit.xml", "junit", 11, 4, 5, 2],
    node20TapFailures.with(0, ["/project/test/broken.test.js", undefined]),
  ],
  [["node24-junit.xml", "junit", 11, 4, 5, 2], nodeTapFailures.with(0, ["test/broken.test.js", undefined])],
  [["pytest-mixed.txt", "pytest", 10, 3, 5, 2], pytestFailures],
  [["pytest-verbose-colour.txt", "pytest", 10, 3, 5, 2], pytestFailures],
  [["pytest-quiet.txt", "pytest", 10, 3, 5, 2], pytestFailures],
  [["pytest-passing.txt", "pytest", 1, 1, 0, 0], []],
  [["pytest-quiet-passing.txt", "pytest", 1, 1, 0, 0], []],
  [["pytest-none.txt", "pytest", 0, 0, 0, 0], []],
  [["pytest-quiet-none.txt", "pytest", 0, 0, 0, 0], []],
  [["pytest-deselected.txt", "pytest", 0, 0, 0, 0], []],
  [["pytest-collection.txt", "pytest", 1, 0, 1, 0], [["tests/test_broken.py", "tests/test_broken.py:1"]]],
  [
    ["pytest-collection-junit.xml", "junit", 1, 0, 1, 0],
    [["pytest > tests.test_broken", "tests/test_broken.py:1"]],
  ],
  [
    ["pytest-junit.xml", "junit", 10, 3, 5, 2],
    [
      ["tests.test_math.TestAdds.test_carries", "tests/test_math.py:9"],
      ["tests.test_math.test_each[2]", "tests/test_math.py:13"],
      ["tests.test_math.test_raises", "tests/test_math.py:16"],
      ["tests.test_math.test_uses_broken", "tests/test_math.py:28"],
      ["tests.test_math.test_objects", "tests/test_math.py:34"],
    ],
  ],
  [["go-verbose.txt", "go test", 13, 6, 6, 1], goFailures],
  [["go-json.txt", "go test", 13, 6, 6, 1], goFailures],
  // Without -v, go prints only failing tests.
  [["go-plain.txt", "go test", 6, 0, 6, 0], goFailures],
  [["go-passing.txt", "go test", 0, 0, 0, 0], []],
  [["go-none.txt", "go test", 0, 0, 0, 0], []],
  [["go-no-match.txt", "go test", 0, 0, 0, 0], []],
  [["cargo-mixed.txt", "cargo test", 9, 3, 5, 1], cargoFailures],
  [["cargo-backtrace.txt", "cargo test", 9, 3, 5, 1], cargoFailures],
  [["cargo-quiet.txt", "cargo test", 9, 3, 5, 1], cargoFailures],
  [["cargo-passing.txt", "cargo test", 1, 1, 0, 0], []],
  [["cargo-none.txt", "cargo test", 0, 0, 0, 0], []],
  [["jest-json.txt", "jest json", 11, 4, 5, 2], jestJsonFailures],
  [["jest-json-passing.txt", "jest json", 1, 1, 0, 0], []],
  [["vitest-json.json", "jest json", 11, 4, 5, 2], vitestJsonFailures],
  [["vitest-json-output.txt", "jest json", 1, 1, 0, 0], []],
  [["vitest-json-none.json", "jest json", 0, 0, 0, 0], []],
  [["vitest-json-hooks.json", "jest json", 4, 1, 1, 2], [["/project/test/hook.test.ts", undefined]]],
  [["mocha-spec.txt", "mocha", 10, 4, 4, 2], mochaFailures],
  [["mocha-colour.txt", "mocha", 10, 4, 4, 2], mochaFailures],
  [["mocha-dot.txt", "mocha", 10, 4, 4, 2], mochaFailures],
  [["mocha-passing.txt", "mocha", 1, 1, 0, 0], []],
  [["mocha-none.txt", "mocha", 0, 0, 0, 0], []],
  [
    ["mocha-json.txt", "mocha json", 10, 4, 4, 2],
    mochaFailures.map(([id, place]) => [`/project/test/math.test.js > ${id?.replaceAll(" > ", " ")}`, place]),
  ],
  [["mocha-json-none.txt", "mocha json", 0, 0, 0, 0], []],
  [["rspec-progress.txt", "rspec", 11, 3, 6, 2], rspecFailures],
  [["rspec-documentation.txt", "rspec", 11, 3, 6, 2], rspecFailures],
  [["rspec-colour.txt", "rspec", 11, 3, 6, 2], rspecFailures],
  [["rspec-passing.txt", "rspec", 1, 1, 0, 0], []],
  [["rspec-none.txt", "rspec", 0, 0, 0, 0], []],
  [["rspec-broken.txt", "rspec", 1, 0, 1, 0], [["spec/broken_spec.rb", "spec/broken_spec.rb:1"]]],
  [
    ["rspec-json.txt", "rspec json", 11, 3, 6, 2],
    rspecFailures.map(([id, place]) => [id, `/project/${place}`]),
  ],
  [["rspec-json-none.txt", "rspec json", 0, 0, 0, 0], []],
  [["rspec-json-broken.txt", "rspec json", 1, 0, 1, 0], [["spec/broken_spec.rb", "spec/broken_spec.rb:1"]]],
  // Incomplete and risky tests count as skipped.
  [["phpunit-mixed.txt", "phpunit", 11, 3, 5, 3], phpunitFailures],
  [["phpunit-colour.txt", "phpunit", 11, 3, 5, 3], phpunitFailures],
  [
    ["phpunit-testdox.txt", "phpunit", 11, 3, 5, 3],
    [
      ["Math > Carries", "/project/tests/MathTest.php:9"],
      ["Math > Objects", "/project/tests/MathTest.php:13"],
      ["Math > Throws", "/project/tests/MathTest.php:17"],
      ['Math > Each with data set "two words"', "/project/tests/MathTest.php:22"],
      ["Math > Each with data set #0", "/project/tests/MathTest.php:22"],
    ],
  ],
  [["phpunit-passing.txt", "phpunit", 2, 2, 0, 0], []],
  [["phpunit-skipped.txt", "phpunit", 2, 1, 0, 1], []],
  [["phpunit-none.txt", "phpunit", 0, 0, 0, 0], []],
  [
    ["phpunit-junit.xml", "junit", 11, 3, 5, 3],
    [
      ["MathTest > testCarries", "/project/tests/MathTest.php:7"],
      ["MathTest > testObjects", "/project/tests/MathTest.php:11"],
      ["MathTest > testThrows", "/project/tests/MathTest.php:15"],
      [
        'MathTest > MathTest::testEach > testEach with data set "two words"',
        "/project/tests/MathTest.php:20",
      ],
      ["MathTest > MathTest::testEach > testEach with data set #0", "/project/tests/MathTest.php:20"],
    ],
  ],
  [["dotnet-mixed.txt", "dotnet test", 7, 3, 3, 1], dotnetFailures],
  [["dotnet-passing.txt", "dotnet test", 5, 5, 0, 0], []],
  [["dotnet-normal.txt", "dotnet test", 3, 1, 1, 1], [["Carries", "/project/Math.Tests/Adds.cs:12"]]],
  [["dotnet-terminal.txt", "dotnet test", 5, 4, 0, 1], []],
  [["dotnet-none.trx", "trx", 0, 0, 0, 0], []],
  [
    ["dotnet-mixed.trx", "trx", 6, 2, 3, 1],
    [
      ["Math.Tests.Adds.Carries", "/project/Math.Tests/Adds.cs:12"],
      ["Math.Tests.Adds.Throws", "/project/Math.Tests/Adds.cs:20"],
      ["Math.Tests.Adds.Each (2)", "/project/Math.Tests/Adds.cs:17"],
    ],
  ],
];
const withoutNumbers = ["cargo-compile-error.txt", "pytest-qq.txt"];

describe("recorded output", () => {
  test.each(table)(
    "%j has counts, and its failures have ids and locations",
    ([file, ...numbers], failures) => {
      const report = readReport(fixture(file));
      expect(counted(report)).toEqual(numbers);
      expect(report?.failures.map(({ id, location }) => [id, location])).toEqual(failures);
    },
  );

  test.each(withoutNumbers)("%s has no counts and is not a report", (file) => {
    expect(recognise(fixture(file))).toBeUndefined();
  });

  it("is all covered by the table", () => {
    expect([...table.map(([[file]]) => file), ...withoutNumbers].sort()).toEqual(fixtures);
  });

  test.each([
    ["vitest-mixed.txt", "test/math.test.ts > adds > carries"],
    ["vitest-tap.txt", "test/math.test.ts > adds > carries"],
    ["vitest-junit.xml", "test/math.test.ts > adds > carries"],
    ["jest-mixed.txt", "test/math.test.js > adds > carries"],
    ["node20-tap.txt", "adds > carries"],
    ["node24-spec.txt", "adds > carries"],
    ["cargo-mixed.txt", "tests::carries"],
    ["jest-json.txt", "/project/test/math.test.js > adds > carries"],
    ["mocha-spec.txt", "adds > carries"],
    ["mocha-json.txt", "/project/test/math.test.js > adds carries"],
    ["rspec-progress.txt", "adds carries"],
    ["rspec-json.txt", "adds carries"],
    ["phpunit-mixed.txt", "MathTest::testCarries"],
    ["phpunit-testdox.txt", "Math > Carries"],
    ["phpunit-junit.xml", "MathTest > testCarries"],
    ["dotnet-mixed.txt", "Math.Tests.Adds.Carries"],
    ["dotnet-normal.txt", "Carries"],
    ["dotnet-mixed.trx", "Math.Tests.Adds.Carries"],
  ])("%s shows what %s expected and what it got", (file, id) => {
    const failure = readReport(fixture(file))?.failures.find((each) => each.id === id);
    expect(failure).toMatchObject({ expected: "11", actual: "10" });
  });

  test.each([
    ["vitest-mixed.txt", "test/math.test.ts > adds > deep > throws (sometimes)", "Error: boom\nsecond line"],
    ["vitest-tap.txt", "test/math.test.ts > adds > deep > throws (sometimes)", "boom\nsecond line"],
    ["jest-colour.txt", "test/math.test.js > adds > deep > throws (sometimes)", "boom\nsecond line"],
    ["node24-spec.txt", "adds > deep > throws (sometimes)", "Error: boom\nsecond line"],
    ["node24-tap.txt", "adds > deep > throws (sometimes)", "boom\nsecond line"],
    ["node24-junit.xml", "adds > deep > throws (sometimes)", "boom\nsecond line"],
    ["pytest-quiet.txt", "tests/test_math.py::test_raises", "ValueError: boom\nsecond line"],
    ["go-json.txt", "example.com/p/math/TestTable/two_words", "math_test.go:14: boom\n    second line"],
    [
      "go-plain.txt",
      "broken/broken_test.go: undefined: undefined",
      "broken/broken_test.go:5:28: undefined: undefined",
    ],
    ["cargo-quiet.txt", "tests::deep::raises", "boom\nsecond line"],
    [
      "jest-json.txt",
      "/project/test/math.test.js > adds > deep > throws (sometimes)",
      "Error: boom\nsecond line",
    ],
    [
      "jest-json.txt",
      "/project/test/broken.test.js",
      "Cannot find module './missing' from 'test/broken.test.js'",
    ],
    ["mocha-spec.txt", "adds > deep > throws (sometimes)", "Error: boom\nsecond line"],
    ["mocha-json.txt", "/project/test/math.test.js > adds deep throws (sometimes)", "boom\nsecond line"],
    [
      "rspec-progress.txt",
      "adds deep throws (sometimes)",
      'Failure/Error: raise "boom\\nsecond line"\nRuntimeError:\n  boom\n  second line',
    ],
    ["rspec-json.txt", "adds deep throws (sometimes)", "boom\nsecond line"],
    ["phpunit-mixed.txt", "MathTest::testThrows", "RuntimeException: boom\nsecond line"],
    ["phpunit-testdox.txt", "Math > Throws", "RuntimeException: boom\nsecond line"],
    ["dotnet-mixed.txt", "Math.Tests.Adds.Throws", "System.InvalidOperationException : boom\nsecond line"],
    ["cargo-mixed.txt", "tests::deep::should", "note: test did not panic as expected at src/lib.rs:23:12"],
  ])("%s shows why %s failed, without the stack", (file, id, message) => {
    expect(readReport(fixture(file))?.failures.find((each) => each.id === id)?.message).toBe(message);
  });
});

describe("several runners in one output", () => {
  it("takes the report of the last runner, not the report that a test printed", () => {
    const outer = fixture("pytest-mixed.txt");
    const lying = outer.replace("collected 10 items", `collected 10 items\n${fixture("vitest-passing.txt")}`);
    expect(counted(recognise(lying))).toEqual(["pytest", 10, 3, 5, 2]);
  });

  it("takes the last jest summary when an earlier one does not match the suites above it", () => {
    const fake = "\nTest Suites: 40 passed, 40 total\nTests:       99 passed, 99 total\n\n";
    expect(counted(recognise(fake + fixture("jest-mixed.txt")))).toEqual(["jest", 11, 4, 5, 2]);
  });

  it("takes the last node:test summary when an earlier one does not match the results above it", () => {
    expect(
      counted(
        recognise(nodeNumbers(0) + fixture("node24-spec.txt").replace("▶ adds", `${nodeNumbers(0)}▶ adds`)),
      ),
    ).toEqual(["node:test", 12, 4, 6, 2]);
  });

  it("adds up the sessions of pytest", () => {
    const both = recognise(fixture("pytest-mixed.txt") + fixture("pytest-passing.txt"));
    expect(counted(both)).toEqual(["pytest", 11, 4, 5, 2]);
    expect(both?.failures).toHaveLength(5);
  });

  it("ignores a cargo header that a test printed", () => {
    const text = fixture("cargo-mixed.txt").replace("test result: ok. 99 passed", "running 99 tests\n# ");
    expect(counted(recognise(text))).toEqual(["cargo test", 9, 3, 5, 1]);
  });

  it("adds up TAP streams", () => {
    expect(counted(recognise(fixture("node20-tap.txt") + fixture("vitest-tap.txt")))).toEqual([
      "tap",
      23,
      8,
      11,
      4,
    ]);
  });
});

describe("failures that are not tests", () => {
  test.each([
    ["vitest-unhandled.txt", 1],
    ["vitest-mixed.txt", 1],
    ["jest-mixed.txt", 1],
    ["jest-json.txt", 1],
    ["vitest-json-hooks.json", 1],
    ["mocha-spec.txt", 1],
    ["mocha-json.txt", 1],
    ["rspec-broken.txt", 1],
    ["rspec-json-broken.txt", 1],
    ["pytest-mixed.txt", 1],
    ["node20-spec.txt", 1],
    ["go-json.txt", 2],
    ["rspec-progress.txt", undefined],
    ["cargo-mixed.txt", undefined],
  ])("are counted as extra: %s has %s", (file, extra) => {
    expect(readReport(fixture(file))?.counts.extra).toBe(extra);
  });

  it("include a failed parent and tests that never ran in TAP", () => {
    const text = "TAP version 14\n    ok 1 - inner\n    1..1\nnot ok 1 - outer\n1..3\n";
    expect(recognise(text)?.counts).toMatchObject({ total: 3, passed: 1, failed: 2, extra: 2 });
  });
});

describe("the report of one runner", () => {
  it("takes mocha's own counts, even if a test throws another report", () => {
    const thrown = fixture("mocha-spec.txt").replace(
      "Error: no database",
      `Error: ${fixture("jest-passing.txt")}`,
    );
    expect(counted(recognise(thrown))).toEqual(["mocha", 10, 4, 4, 2]);
    const both = recognise(fixture("mocha-spec.txt") + fixture("mocha-passing.txt"));
    expect(counted(both)).toEqual(["mocha", 11, 5, 4, 2]);
    expect(both?.failures).toHaveLength(4);
  });

  it("takes the last line about a .NET assembly and adds up the assemblies", () => {
    const line = (failed: number, name: string) =>
      `Failed!  - Failed:     ${failed}, Passed:     2, Skipped:     0, Total:     ${failed + 2}, Duration: 3 ms - ${name} (net8.0)\n`;
    expect(counted(recognise(line(2, "A.dll") + line(1, "A.dll") + line(1, "B.dll")))).toEqual([
      "dotnet test",
      6,
      4,
      2,
      0,
    ]);
  });

  it("adds up two PHPUnit runs", () => {
    const both = fixture("phpunit-mixed.txt") + fixture("phpunit-passing.txt");
    expect(counted(recognise(both))).toEqual(["phpunit", 13, 5, 5, 3]);
  });

  it("finds JSON after text without a line break", () => {
    expect(counted(recognise(`dots...${fixture("jest-json-passing.txt")}`))).toEqual([
      "jest json",
      1,
      1,
      0,
      0,
    ]);
    expect(counted(recognise(`..${fixture("rspec-json-none.txt")}`))).toEqual(["rspec json", 0, 0, 0, 0]);
  });

  it("rejects a truncated trx file", () => {
    const text = fixture("dotnet-mixed.trx");
    expect(readReport(text.slice(0, text.indexOf("</TestRun>")))).toBeUndefined();
  });

  it("counts packages when go does not print every test", () => {
    const packages = (file: string) => recognise(fixture(file))?.uncounted?.packages;
    expect(packages("go-passing.txt")).toEqual({ tested: 1, failed: 0, failedTests: 0, broken: 0 });
    expect(packages("go-plain.txt")).toEqual({ tested: 4, failed: 2, failedTests: 5, broken: 1 });
    expect(packages("go-json.txt")).toBeUndefined();
    expect(packages("go-verbose.txt")).toBeUndefined();
  });
});

describe("TAP", () => {
  it("counts planned tests that never ran as one failure", () => {
    const report = recognise("TAP version 14\n1..3\nok 1 - a\n");
    expect(counted(report)).toEqual(["tap", 2, 1, 1, 0]);
    expect(report?.failures).toEqual([{ message: "3 tests were planned, 2 of them did not run" }]);
  });

  it("counts a TAP bail-out as a failure", () => {
    const report = recognise("TAP version 13\nok 1 - a\nBail out! no database\n");
    expect(counted(report)).toEqual(["tap", 2, 1, 1, 0]);
    expect(report?.failures).toEqual([{ message: "Bail out! no database" }]);
  });

  it("counts SKIP and TODO, even a failing TODO, as skipped", () => {
    const text = "TAP version 13\nok 1 - a # SKIP later\nnot ok 2 - b # TODO\nok 3 - c\n1..3\n";
    expect(counted(recognise(text))).toEqual(["tap", 3, 1, 0, 2]);
  });

  it("reports the parent as failed when no subtest failed", () => {
    const text = "TAP version 14\n    ok 1 - inner\n    1..1\nnot ok 1 - outer\n1..1\n";
    const report = recognise(text);
    expect(counted(report)).toEqual(["tap", 2, 1, 1, 0]);
    expect(ids(report)).toEqual(["outer"]);
  });

  it("is not recognised in lines that merely start with ok", () => {
    expect(recognise("ok 1 - looks fine\nok 2 - this too\n")).toBeUndefined();
  });
});

describe("JUnit XML", () => {
  const one = (inside: string) =>
    `<testsuite name="s"><testcase classname="a.B" name="c">${inside}</testcase></testsuite>`;

  it("reads CDATA, entities and quotes inside attributes", () => {
    const report = readReport(
      one(`<failure message='a &lt; "b" &#38; &#x63; > d'><![CDATA[<x> & src/a.ts:3:1]]></failure>`),
    );
    expect(report?.failures).toEqual([{ id: "a.B.c", message: 'a < "b" & c > d', location: "src/a.ts:3" }]);
  });

  it("does not expand entities that the document defines", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${one('<failure message="&b;"/>')}`;
    expect(readReport(`<?xml version="1.0"?>${bomb}`)?.failures).toEqual([{ id: "a.B.c", message: "&b;" }]);
  });

  it("strips control characters in entities", () => {
    const message = readReport(one('<error message="a&#27;[31mb&#8238;c&#0;"/>'))?.failures[0]?.message;
    expect(message).toBe("abc");
  });

  it("takes file and line from the attributes", () => {
    const text = '<testsuite><testcase name="a" file="x.rb" line="7"><failure/></testcase></testsuite>';
    expect(readReport(text)?.failures[0]?.location).toBe("x.rb:7");
  });

  it("rejects a truncated report", () => {
    const text = fixture("pytest-junit.xml");
    expect(junitXml(text.slice(0, text.lastIndexOf("</testsuite>")))).toBeUndefined();
  });

  it("distinguishes an empty report from an unknown one", () => {
    expect(counted(readReport("<testsuites/>"))).toEqual(["junit", 0, 0, 0, 0]);
    expect(readReport("<html><body>404</body></html>")).toBeUndefined();
  });
});

describe("limits", () => {
  const detailed = (tests: number) =>
    Array.from(
      { length: tests },
      (_, at) =>
        `not ok ${at + 1} - t${at}\n  ---\n  message: "why ${at}"\n  at: "src/a.js:${at + 1}:1"\n  ...\n`,
    ).join("");

  it("counts all failures, keeps 2,000, and keeps the details of 200", () => {
    const report = recognise(`TAP version 13\n${detailed(2_500)}1..2500\n`);
    expect(report?.counts.failed).toBe(2_500);
    expect(report?.failures).toHaveLength(2_000);
    expect(report?.failures[199]).toEqual({ id: "t199", message: "why 199", location: "src/a.js:200" });
    expect(report?.failures[200]).toEqual({ id: "t200", message: "failed", location: "src/a.js:201" });
  });

  it("truncates the text of a failure", () => {
    const report = readReport(
      `<testsuite><testcase name="${"n".repeat(9_000)}"><failure>${"x".repeat(9_000)}</failure></testcase></testsuite>`,
    );
    expect(report?.failures[0]?.id?.length).toBeLessThan(600);
    expect(report?.failures[0]?.message.length).toBeLessThan(1_100);
  });

  // Each would overflow the stack of a recursive parser, or hit the test timeout in one that is not linear.
  const long = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
  test.each([
    ["one long line", long("a")],
    ["blanks", long(" ")],
    ["unfinished comments", `<testsuite>${long("<!--")}`],
    ["document types", `<testsuite>${long("<!DOCTYPE a>")}`],
    ["suites in suites", long("<testsuite>") + long("<testcase/>")],
    ["words for attributes", `<testsuite ${long("a ")}></testsuite>`],
    ["unfinished TAP details", `TAP version 13\n${long("ok 1 - a\n  ---\n")}`],
    ["TAP braces", `TAP version 13\n${long("not ok 1 - a {\n")}`],
    ["one TAP parent", `TAP version 13\n${long("  not ok 1 - a\n")}not ok 1 - p\n`],
    [
      "go output in one event",
      `{"Action":"output","Package":"p","Output":"${long("\\n")}"}\n{"Action":"fail","Package":"p"}`,
    ],
    ["nested JSON", long('{"a":')],
    [
      "jest titles",
      `${long("FAIL a\n  ● b\n")}Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\n`,
    ],
    ["pytest sections", `${long("_ a _\n")}1 failed in 1s\n`],
    ["rules", long("_ ")],
    ["crooked node:test branches", `${long("   ▶ a\n ✖ b (1ms)\n")}${nodeNumbers(1)}`],
    ["unfinished escapes", long("\u001b]")],
    ["braces", long("{\n}\n")],
    ["opening braces", long("{\n")],
    ["JSON objects", long('{"numTotalTests":1,"stats":{},"summary_line":""}\n')],
    ["JSON in one line", long('{"numTotalTests":')],
    ["mocha passes", `${long("  ✔ a\n")}  1 passing (1s)\n`],
    ["mocha summaries", long("  0 passing\n")],
    [
      "mocha failures",
      `  0 passing (1s)\n  9 failing\n\n${Array.from({ length: 60_000 }, (_, at) => `  ${at + 1}) a:\n`).join("")}`,
    ],
    ["mocha titles", `  0 passing (1s)\n  1 failing\n\n  1) a\n${long("       b\n")}`],
    ["RSpec summaries", long("Finished in 1\n1 example, 1 failure\n")],
    [
      "RSpec failures",
      `Failures:\n${Array.from({ length: 60_000 }, (_, at) => `  ${at + 1}) a\n`).join("")}Finished in 1\n1 example, 1 failure\n`,
    ],
    [
      "RSpec files that do not load",
      `${long("An error occurred while loading a.\n")}Finished in 1\n0 examples, 0 failures, 1 error occurred outside of examples\n`,
    ],
    [
      "PHPUnit failures",
      `PHPUnit 9.6.7 by Sebastian Bergmann\nThere was 1 failure:\n${long("1) a\n")}Tests: 1, Assertions: 1, Failures: 1.\n`,
    ],
    [
      "PHPUnit drawings",
      `PHPUnit 9.6.7 by Sebastian Bergmann\n${long(" ✘ a\n   │ b\n")}Tests: 1, Assertions: 1, Failures: 1.\n`,
    ],
    ["PHPUnit numbers", `PHPUnit 9.6.7 by Sebastian Bergmann\nTests: 1, Assertions: 1${long(", Risky: 1")}`],
    [".NET failures", `${long("  Failed a [1 ms]\n")}Total tests: 1\n     Failed: 1\n`],
    ["AVA passes", `${long("  ✔ a\n")}  ─\n\n  1 test failed\n`],
    ["AVA failures", `${long("  ✘ [fail]: a\n")}  ─\n\n${long("\n  a\n\n")}  ─\n\n  1 test failed\n`],
    ["AVA exceptions", `${long("  Uncaught exception in a.js\n")}  ─\n\n  1 uncaught exception\n`],
    ["uvu failures", `${long('   FAIL  "a"\n')}  Total:     1\n  Passed:    0\n  Skipped:   0\n`],
    ["tap-spec failures", `${long("    ✖ a\n    ---\n\n")}  total:     1\n  passing:   0\n`],
    ["tap-spec tests", `${long("\n  a\n\n")}  total:     1\n  passing:   0\n`],
    ["bun failures", `${long("error: a\n(fail) a\n")}Ran 1 test across 1 file. [1ms]\n`],
    [
      "bun files",
      `${long(`# Unhandled error between tests\n${"-".repeat(31)}\nerror: a\n`)}Ran 1 test across 1 file. [1ms]\n`,
    ],
    ["bun summaries", long("Ran 1 test across 1 file. [1ms]\n")],
    ["Jasmine failures", `Failures:\n${long("1) a\n  Message:\n")}1 spec, 1 failure\nFinished in 1 second\n`],
    [
      "unittest failures",
      `${long(`${"=".repeat(70)}\nFAIL: a (b.C)\n`)}Ran 1 test in 0.1s\n\nFAILED (failures=1)\n`,
    ],
    ["unittest summaries", long("Ran 1 test in 0.1s\n\nOK\n")],
    [
      "minitest failures",
      `# Running:\n${long("  1) Failure:\nA#b [c.rb:1]:\n")}1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n`,
    ],
    ["minitest runs", long("# Running:\n")],
    [
      "test-unit failures",
      `Loaded suite a\n${long(`${"=".repeat(79)}\nFailure: a(B)\n`)}1 tests, 1 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n`,
    ],
    ["Surefire modules", long("[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n")],
    [
      "Surefire failures",
      `${long("[ERROR] a.B.c -- Time elapsed: 0 s <<< FAILURE!\n")}[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n`,
    ],
    [
      "JUnit failures",
      `Failures (1):\n${long("  a\n    => b\n")}Test run finished after 1 ms\n[ 1 tests failed ]\n`,
    ],
    ["Gradle failures", `${long("A > b FAILED\n")}1 test completed, 1 failed\n`],
    ["Gradle arrows", `${long(" > a")}\n1 test completed, 1 failed\n`],
    ["automake results", `${long("FAIL: a\n")}Testsuite summary for a\n=\n# TOTAL: 1\n`],
    ["automake summaries", long("Testsuite summary for a\n=\n# TOTAL: 1\n")],
    ["Catch2 headings", `${long(`${"-".repeat(79)}\na\n`)}${"=".repeat(79)}\ntest cases: 1 | 1 failed\n`],
    ["Catch2 dots", `${long(`${".".repeat(79)}\n`)}${"=".repeat(79)}\ntest cases: 1 | 1 failed\n`],
    ["Catch2 numbers", `${"=".repeat(79)}\ntest cases: 1${long(" | 1 failed")}\n`],
    [
      "one Catch2 test case",
      `${long(`${"-".repeat(79)}\na\n${"-".repeat(79)}\nb.cpp:1\n${".".repeat(79)}\nb.cpp:2: FAILED:\n`)}${"=".repeat(79)}\ntest cases: 1 | 1 failed\n`,
    ],
    [
      "doctest rules",
      `${long(`${"=".repeat(79)}\n`)}[doctest] test cases: 1 | 0 passed | 1 failed | 0 skipped\n`,
    ],
    [
      "GoogleTest failures",
      `[==========] Running 1 test from 1 test suite.\n${long("[  FAILED  ] A.B (0 ms)\n")}[==========] 1 test from 1 test suite ran. (0 ms total)\n[  FAILED  ] 1 test, listed below:\n`,
    ],
    [
      "CTest results",
      `${long("1/1 Test #1: a ...***Failed 0.01 sec\n")}0% tests passed, 1 tests failed out of 1\n`,
    ],
    [
      "CTest dots",
      `1/1 Test #1: a ${long(".")}***Failed 0.01 sec\n0% tests passed, 1 tests failed out of 1\n`,
    ],
    ["Meson results", `${long("1/1 a FAIL 0.1s exit status 1\n")}Ok: 0\nFail: 1\n`],
    [
      "prove files",
      `Test Summary Report\n${long("a (Wstat: 1 Tests: 1 Failed: 1)\n")}Files=1, Tests=1, 0\nResult: FAIL\n`,
    ],
    [
      "prove failures",
      `${long("#   Failed test 'a'\n#   at a.t line 1.\n")}Test Summary Report\na.t (Wstat: 1 Tests: 1 Failed: 1)\nFiles=1, Tests=1, 0\nResult: FAIL\n`,
    ],
    ["go compile errors", `# a\n${long("a.go:1:1: b\n")}FAIL\ta [build failed]\n`],
    ["results in results", `<TestRun>${long("<UnitTestResult>")}`],
    ["results", `<TestRun>${long("<UnitTestResult/>")}</TestRun>`],
  ])("survives a megabyte of %s", (_, text) => {
    expect(() => recognise(text)).not.toThrow();
  });
});

describe("other output", () => {
  const compilerError =
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\n1 error\n";
  test.each([
    "",
    "hello",
    "Tests  99 passed (99)",
    "Tests:       99 passed, 99 total",
    "ℹ tests 99\nℹ pass 99",
    "all 5 tests passed in time",
    "5 passed, all good in 3s",
    "ok\tdone",
    "1..3",
    compilerError,
  ])("is not a report: %j", (text) => {
    expect(recognise(text)).toBeUndefined();
    expect(readReport(text)).toBeUndefined();
  });

  it("never throws, and the counts always add up", () => {
    const words = fc.constantFrom(...recordings.flatMap((text) => text.split(/(?<=\n)/)));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(words, fc.string({ unit: anyCharacter })), { maxLength: 60 }),
        (parts) => {
          const counts = (recognise(parts.join("")) ?? readReport(parts.join("")))?.counts;
          if (counts) expect(counts.total).toBe(counts.passed + counts.failed + counts.skipped);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("is not a report without a line from any runner", () => {
    fc.assert(
      fc.property(
        fc.array(fc.lorem({ mode: "sentences" })),
        (lines) => recognise(lines.join("\n")) === undefined,
      ),
    );
  });

  it("never has more failures than its count in any recording", () => {
    for (const text of recordings) {
      const report = readReport(text);
      expect(report?.failures.length ?? 0, text).toBeLessThanOrEqual(report?.counts.failed ?? 0);
    }
  });

  it("never has more failures than its count when truncated anywhere", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...recordings),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        (text, at, fromStart) => {
          const cut = Math.floor(at * text.length);
          const report = readReport(fromStart ? text.slice(0, cut) : text.slice(cut));
          expect(report?.failures.length ?? 0).toBeLessThanOrEqual(report?.counts.failed ?? 0);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the ids of failures", () => {
  const failing = (...names: string[]) =>
    [
      "TAP version 13",
      ...names.map((name, at) => `not ok ${at + 1} - ${name}`),
      `1..${names.length}`,
      "",
    ].join("\n");

  test.each([
    ["saves at 2024-05-06T07:08:09.123Z", "saves at 2025-01-02T03:04:05Z"],
    ["reads /tmp/run-a1B2c3/data.json", "reads /tmp/run-Zz9/data.json"],
    ["listens on 127.0.0.1:40123", "listens on 127.0.0.1:51234"],
    ["finds 550e8400-e29b-41d4-a716-446655440000", "finds 6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
  ])("are the same for %j and %j", (one, other) => {
    expect(ids(recognise(failing(one)))).toEqual(ids(recognise(failing(other))));
  });

  it("keep numbers that are not times, ports or temporary names", () => {
    const names = ["adds 1 and 2", "adds 2 and 3", "waits 5s", "waits 10s"];
    expect(ids(recognise(failing(...names)))).toEqual(names);
  });

  it("stay unique when tests differ only in a time", () => {
    const names = ["at 12:00:00", "at 13:00:00", "at <time> (2)", "at 14:00:00"];
    const found = ids(recognise(failing(...names)));
    expect(new Set(found).size).toBe(4);
    expect(found?.[0]).toBe("at <time>");
  });

  const elapsed = /\b\d+(?:\.\d+)?(?= ?m?s\b)/g;

  test.each(table.filter(([, failures]) => failures.length > 0).map(([[file]]) => file))(
    "of %s do not depend on the duration of tests",
    (file) => {
      const text = fixture(file);
      const expected = ids(readReport(text));
      fc.assert(
        fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 99_999 })), (numbers) => {
          // A duration that is printed twice must stay the same in both places.
          const times = new Map<string, string>();
          const slower = text.replace(elapsed, (time) => {
            if (!times.has(time)) times.set(time, `${numbers.next().value}.${times.size}`);
            return times.get(time) ?? time;
          });
          expect(ids(readReport(slower))).toEqual(expected);
        }),
        { numRuns: 5 },
      );
      for (const id of expected ?? []) expect(id ?? "").not.toMatch(/\d ?m?s\)?$/);
    },
  );
});
