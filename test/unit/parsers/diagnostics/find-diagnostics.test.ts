import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { relativePaths } from "#gates/relative-paths";
import { type Diagnostics, findDiagnostics } from "#parsers/diagnostics/find-diagnostics";
import { plain } from "#text/plain-text";
import { anyCharacter } from "../../../support/any-character.ts";

const folder = new URL("../../../fixtures/diagnostics/", import.meta.url);
const fixtures = readdirSync(folder).sort();
const outputs = new URL("../../../fixtures/output/", import.meta.url);
/** Reads a fixture as a gate does: plain text with paths relative to the workspace. */
const fixture = (name: string): string =>
  relativePaths(plain(readFileSync(new URL(name, folder), "utf8")), "/project");
const found = (name: string) => findDiagnostics(fixture(`${name}.txt`));
const ids = (diagnostics: Diagnostics | undefined) => diagnostics?.failures.map(({ id }) => id);
const places = (diagnostics: Diagnostics | undefined) =>
  diagnostics?.failures.map(({ location }) => location);

const summaries: readonly (readonly [fixture: string, summary: string])[] = [
  ["biome", "7 errors in 3 files (biome)"],
  ["cargo-clippy", "3 errors in 1 file (rustc)"],
  ["cargo-test", "3 errors in 1 file (rustc)"],
  ["clang-link", "1 error in 1 file (linker)"],
  ["clang-make", "2 errors in 1 file (C compiler)"],
  ["esbuild", "3 errors in 2 files (esbuild)"],
  ["eslint8", "6 errors in 3 files (eslint)"],
  ["eslint8-compact", "6 errors in 3 files (eslint)"],
  ["eslint8-unix", "6 errors in 3 files (eslint)"],
  ["eslint8-warn", "1 warning in 1 file (eslint)"],
  ["eslint9", "6 errors in 3 files (eslint)"],
  ["eslint9-warn", "1 warning in 1 file (eslint)"],
  ["flake8", "7 errors in 3 files (Python lint)"],
  ["gcc-link", "1 error in 1 file (linker)"],
  ["gcc-link-de", "1 error in 1 file (linker)"],
  ["gcc-make", "2 errors in 1 file (C compiler)"],
  ["gcc-make-de", "2 errors in 1 file (C compiler)"],
  ["gcc-make-ja", "2 errors in 1 file (C compiler)"],
  ["gcc-werror", "2 errors in 1 file (C compiler)"],
  ["go-build", "3 errors in 1 file (go)"],
  ["go-syntax", "1 error in 1 file (go)"],
  ["go-vet", "2 errors in 2 files (go)"],
  ["go-vet-make", "1 error in 1 file (go)"],
  ["gxx-make", "3 errors in 2 files (C++ compiler)"],
  ["gxx-make-de", "1 error in 1 file (C++ compiler)"],
  ["javac", "4 errors in 1 file (javac)"],
  ["javac-de", "4 errors in 1 file (javac)"],
  ["javac-ja", "4 errors in 1 file (javac)"],
  ["javac-syntax", "1 error in 1 file (javac)"],
  ["javac-werror", "2 warnings in 1 file (javac)"],
  ["kotlinc", "2 errors in 1 file (kotlinc)"],
  ["maven", "4 errors in 1 file (Maven)"],
  ["mypy-plain", "5 errors in 2 files (mypy)"],
  ["mypy-pretty", "5 errors in 2 files (mypy)"],
  ["mypy-syntax", "2 errors in 1 file (mypy)"],
  ["node-assert", "1 error in 1 file (node)"],
  ["node-crash", "1 error in 1 file (node)"],
  ["node-esm", "1 error in 1 file (node)"],
  ["node-module", "1 error in 1 file (node)"],
  ["node-named", "1 error in 1 file (node)"],
  ["node-syntax", "1 error in 1 file (node)"],
  ["pylint", "13 errors in 3 files (pylint)"],
  ["pyright", "12 errors in 3 files (pyright)"],
  ["python-chain", "1 error in 1 file (python)"],
  ["python-import", "1 error in 1 file (python)"],
  ["python-syntax", "1 error in 1 file (python)"],
  ["rake-crash", "1 error in 1 file (ruby)"],
  ["rake-syntax", "1 error in 1 file (ruby)"],
  ["rollup", "1 error in 1 file (rollup)"],
  ["rollup-missing", "1 error in 1 file (rollup)"],
  ["rubocop", "10 errors in 3 files (rubocop)"],
  ["rubocop-emacs", "10 errors in 3 files (rubocop)"],
  ["ruby-crash", "1 error in 1 file (ruby)"],
  ["ruff", "7 errors in 3 files (ruff)"],
  ["ruff-concise", "7 errors in 3 files (Python lint)"],
  ["ruff-format", "2 errors in 2 files (ruff)"],
  ["shellcheck", "6 errors in 1 file (shellcheck)"],
  ["shellcheck-gcc", "6 errors in 1 file (shellcheck)"],
  ["standard", "11 errors in 1 file (eslint)"],
  ["tsc4", "8 errors in 2 files (tsc)"],
  ["tsc4-pretty", "8 errors in 2 files (tsc)"],
  ["tsc5", "8 errors in 2 files (tsc)"],
  ["tsc5-pretty", "8 errors in 2 files (tsc)"],
  ["vite6", "1 error in 1 file (rollup)"],
  ["vite6-syntax", "1 error in 1 file (rollup)"],
  ["vite8", "1 error in 1 file (rollup)"],
  ["vite8-syntax", "1 error in 1 file (rollup)"],
  ["webpack", "3 errors in 2 files (webpack)"],
  ["webpack-ts", "5 errors in 1 file (webpack)"],
];

describe("the recorded output of compilers and linters", () => {
  test.each(summaries)("%s is counted", (name, summary) => {
    expect(found(name)?.summary).toBe(summary);
  });

  it("has a fixture for every row of the table and no others", () => {
    expect(fixtures).toEqual(summaries.map(([name]) => `${name}.txt`).sort());
  });

  it.each(summaries)("%s names files without line numbers in the identity", (name) => {
    for (const { id, location } of found(name)?.failures ?? []) {
      expect(id).not.toMatch(/^[^:]*:\d/);
      if (location !== undefined) expect(id?.startsWith(`${location.replace(/:\d+$/, "")}: `)).toBe(true);
    }
  });
});

describe("a diagnostic", () => {
  it.each(["tsc4", "tsc5", "tsc4-pretty", "tsc5-pretty"])("of %s has code, message and location", (name) => {
    expect(ids(found(name))).toEqual([
      "src/sum.ts: TS2307 Cannot find module './nowhere' or its corresponding type declarations.",
      "src/sum.ts: TS2322 Type 'number' is not assignable to type 'string'.",
      "src/sum.ts: TS2322 Type 'string' is not assignable to type 'number'.",
      "src/user.ts: TS2322 Type 'string' is not assignable to type 'number'.",
      "src/user.ts: TS2322 Type 'number' is not assignable to type 'string'.",
      "src/user.ts: TS2345 Argument of type 'string' is not assignable to parameter of type 'number'.",
      "src/user.ts: TS2551 Property 'toFixd' does not exist on type 'number'. Did you mean 'toFixed'?",
      "src/user.ts: TS7006 Parameter 'x' implicitly has an 'any' type.",
    ]);
    expect(places(found(name))?.slice(0, 3)).toEqual(["src/sum.ts:1", "src/sum.ts:3", "src/sum.ts:4"]);
  });

  it.each(["eslint8", "eslint9", "eslint8-unix", "eslint8-compact"])("of %s has its rule", (name) => {
    expect(found(name)?.failures.slice(2, 5)).toMatchObject([
      { id: expect.stringContaining("src/a.js: eqeqeq Expected '==='"), location: "src/a.js:4" },
      { id: expect.stringContaining("src/a.js: no-undef 'y' is not defined"), location: "src/a.js:4" },
      { id: "src/broken.js: Parsing error: Unexpected token ;", location: "src/broken.js:1" },
    ]);
  });

  it("of rustc includes the source block and the mismatched types", () => {
    expect(found("cargo-test")?.failures[2]).toEqual({
      id: "tests/test.rs: E0308 mismatched types: expected `u32`, found `String`",
      message: [
        "E0308 mismatched types: expected `u32`, found `String`",
        " --> tests/test.rs:5:18",
        "  |",
        "5 |     let x: u32 = itoa::itoa(1);",
        "  |            ---   ^^^^^^^^^^^^^ expected `u32`, found `String`",
        "  |            |",
        "  |            expected due to this",
      ].join("\n"),
      location: "tests/test.rs:5",
    });
  });

  it.each([
    ["gcc-make", "leap.c: ‘yaer’ undeclared (first use in this function); did you mean ‘year’?"],
    [
      "gcc-make-de",
      "leap.c: »yaer« nicht deklariert (erstmalige Verwendung in dieser Funktion); meinten Sie »year«?",
    ],
    ["gcc-make-ja", "leap.c: ‘yaer’ undeclared (first use in this function); did you mean ‘year’?"],
    ["clang-make", "leap.c: use of undeclared identifier 'yaer'; did you mean 'year'?"],
  ])("of a C compiler is read in every language: %s", (name, id) => {
    const [first] = found(name)?.failures ?? [];
    expect(first).toMatchObject({ id, location: "leap.c:6" });
    expect(first?.message).toContain("return yaer % 4 == 0");
  });

  it("of a linker names the source file of the object", () => {
    for (const name of ["gcc-link", "gcc-link-de", "clang-link"])
      expect(ids(found(name))).toEqual(["main.c: undefined reference to `other'"]);
  });

  it.each([
    ["javac", "cannot find symbol: method h()"],
    ["javac-de", "Symbol nicht gefunden: Methode h()"],
    ["javac-ja", "シンボルを見つけられません: メソッド h()"],
  ])("of javac names the missing symbol in every language: %s", (name, message) => {
    expect(found(name)?.failures[3]).toMatchObject({
      id: `src/main/java/app/B.java: ${message}`,
      location: "src/main/java/app/B.java:4",
    });
  });

  it.each([
    ["esbuild", 'src/index.js: Could not resolve "./nowhere.js"', "src/index.js:1"],
    [
      "webpack",
      "src/index.js: Module not found: Error: Can't resolve './nowhere.js' in 'src'",
      "src/index.js:1",
    ],
    ["webpack", "src/syntax.js: Module parse failed: Unexpected token", "src/syntax.js:1"],
    ["webpack-ts", "src/app.ts: TS2322 Type 'string' is not assignable to type 'number'.", "src/app.ts:3"],
    ["rollup", "src/syntax.js: Expression expected", "src/syntax.js:1"],
    ["rollup-missing", 'src/index.js: Could not resolve "./nowhere.js" from "src/index.js"', undefined],
    [
      "vite6",
      'src/index.js: Rollup failed to resolve import "not-installed" from "src/index.js".',
      undefined,
    ],
    ["vite6-syntax", "src/syntax.js: Expression expected", "src/syntax.js:1"],
    [
      "vite8",
      "src/index.js: UNRESOLVED_IMPORT Could not resolve './nowhere.js' in src/index.js",
      "src/index.js:1",
    ],
    ["vite8-syntax", "src/syntax.js: PARSE_ERROR Unexpected token", "src/syntax.js:1"],
  ])("of a bundler has file, line and message: %s", (name, id, location) => {
    expect(found(name)?.failures.find((each) => each.id === id)).toMatchObject({
      id,
      ...(location && { location }),
    });
    expect(found(name)?.failures.find((each) => each.id === id)?.location).toBe(location);
  });

  it.each(["rubocop", "rubocop-emacs"])("of %s has its cop", (name) => {
    expect(found(name)?.failures.slice(2, 4)).toMatchObject([
      {
        id: expect.stringContaining("lib/broken.rb: Lint/Syntax unexpected token"),
        location: "lib/broken.rb:2",
      },
      { id: expect.stringContaining("lib/math.rb: Style/Documentation Missing"), location: "lib/math.rb:1" },
    ]);
  });

  it("that RuboCop has corrected is ignored", () => {
    const corrected = "lib/a.rb:2:12: C: [Corrected] Layout/SpaceAfterComma: Space missing after comma.\n";
    expect(findDiagnostics(corrected)).toBeUndefined();
  });

  it("that Maven prints twice counts once, with its symbol", () => {
    expect(ids(found("maven"))).toEqual([
      "src/main/java/app/B.java: incompatible types: java.lang.String cannot be converted to int",
      "src/main/java/app/B.java: cannot find symbol: class Missing",
      "src/main/java/app/B.java: cannot find symbol: class Missing (2)",
      "src/main/java/app/B.java: cannot find symbol: method h()",
    ]);
  });

  it.each([
    ["node-module", "test.js: Error: Cannot find module './lib/missing'", "test.js:1"],
    ["node-syntax", "lib/bad.js: SyntaxError: Unexpected token ';'", "lib/bad.js:1"],
    [
      "node-esm",
      "esm.mjs: Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'lib/nope.js' imported from esm.mjs",
      undefined,
    ],
    ["node-crash", "crash.js: TypeError: Cannot read properties of null (reading 'x')", "crash.js:1"],
    ["python-chain", "chain.py: RuntimeError: bad config", "chain.py:6"],
    ["python-import", "run.py: ModuleNotFoundError: No module named 'app.helper'", "run.py:1"],
    ["python-syntax", "app/broken.py: SyntaxError: invalid syntax", "app/broken.py:1"],
    ["rake-syntax", "lib/x.rb: syntax error, unexpected `end', expecting ')' (SyntaxError)", "lib/x.rb:3"],
    ["rake-crash", "lib/x.rb: bad thing (ArgumentError)", "lib/x.rb:2"],
  ])("of a crash has a location in the project's own code: %s", (name, id, location) => {
    expect(found(name)?.failures).toEqual([
      { id, message: expect.any(String), ...(location && { location }) },
    ]);
  });

  it.each([
    [
      "MSBuild",
      "/project/Program.cs(5,13): error CS0103: The name 'x' does not exist in the current context [/project/app.csproj]",
      "Program.cs: CS0103 The name 'x' does not exist in the current context",
      "Program.cs:5",
    ],
    [
      "Gradle's Kotlin",
      "e: file:///project/src/Main.kt:3:12 Type mismatch: inferred type is Int but String was expected",
      "src/Main.kt: Type mismatch: inferred type is Int but String was expected",
      "src/Main.kt:3",
    ],
    [
      "older Kotlin",
      "e: /project/src/Main.kt: (3, 12): Unresolved reference: x",
      "src/Main.kt: Unresolved reference: x",
      "src/Main.kt:3",
    ],
    [
      "PHP",
      'PHP Parse error:  syntax error, unexpected token "}" in /project/src/a.php on line 7',
      'src/a.php: Parse error: syntax error, unexpected token "}"',
      "src/a.php:7",
    ],
    [
      "pytest, whose conftest.py imports a file that cannot be parsed",
      "ImportError while loading conftest '/project/tests/conftest.py'.\ntests/conftest.py:4: in <module>\n    from shop import cart\nE     File \"/project/shop/cart.py\", line 9\nE       @@ items\nE        ^\nE   SyntaxError: invalid syntax",
      "shop/cart.py: SyntaxError: invalid syntax",
      "shop/cart.py:9",
    ],
    [
      "pytest, whose conftest.py imports a module that fails",
      "ImportError while loading conftest '/project/tests/conftest.py'.\ntests/conftest.py:4: in <module>\n    from shop import cart\nshop/cart.py:2: in <module>\n    import tax\nE   ModuleNotFoundError: No module named 'tax'",
      "shop/cart.py: ModuleNotFoundError: No module named 'tax'",
      "shop/cart.py:2",
    ],
    [
      "jest, when a test ends the process",
      '  ●  process.exit called with "1"\n\n      8 |   leave() {\n    > 9 |     process.exit(1);\n        |             ^\n\n      at Cart.leave (lib/cart.js:9:13)\n      at Object.<anonymous> (test/cart.test.js:4:8)\n      at run (node_modules/jest-circus/build/run.js:1:1)',
      'test/cart.test.js: process.exit called with "1"',
      "test/cart.test.js:4",
    ],
    [
      "Node.js in mocha",
      " Exception during run: /project/lib/cart.js:9\n@@ items @@\n^\n\nSyntaxError: Invalid or unexpected token\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)",
      "lib/cart.js: SyntaxError: Invalid or unexpected token",
      "lib/cart.js:9",
    ],
    [
      "Perl",
      'syntax error at /project/lib/Shop/Cart.pm line 9, near "my @@ items"\nCompilation failed in require at t/cart.t line 3.\nBEGIN failed--compilation aborted at t/cart.t line 3.',
      "lib/Shop/Cart.pm: syntax error",
      "lib/Shop/Cart.pm:9",
    ],
    [
      "Ruby 3.4",
      "lib/x.rb:2:in 'Object#a': bad thing (ArgumentError)\n\tfrom lib/x.rb:4:in '<main>'",
      "lib/x.rb: bad thing (ArgumentError)",
      "lib/x.rb:2",
    ],
    [
      "lld",
      "ld.lld: error: undefined symbol: other\n>>> referenced by main.c:3\n>>>               main.o:(main)",
      "main.c: undefined symbol: other",
      "main.c:3",
    ],
    [
      "a linker with debug information",
      "/usr/bin/ld: main.o: in function `main':\n/project/main.c:3: undefined reference to `other'",
      "main.c: undefined reference to `other'",
      "main.c:3",
    ],
  ])("of %s is recognised", (_, output, id, location) => {
    expect(findDiagnostics(relativePaths(output, "/project"))?.failures).toMatchObject([{ id, location }]);
  });

  it("keeps its id when lines are added above it", () => {
    const moved = fixture("tsc5.txt").replace(/\((\d+),/g, (_, line) => `(${Number(line) + 7},`);
    expect(ids(findDiagnostics(moved))).toEqual(ids(found("tsc5")));
    expect(places(findDiagnostics(moved))?.[0]).toBe("src/sum.ts:8");
  });
});

describe("warnings", () => {
  const gcc = "a.c:4:7: warning: unused variable 'x' [-Wunused-variable]\n";

  it("are ignored beside errors or other failures", () => {
    expect(findDiagnostics(`${gcc}FAIL 1900: want no, got yes\n`)).toBeUndefined();
    expect(findDiagnostics(`${gcc}a.c:5:1: error: expected ';'\n`)?.failures).toHaveLength(1);
  });

  it("are failures when the tool fails because of them", () => {
    expect(ids(found("eslint9-warn"))).toEqual(["src/warn.js: no-debugger Unexpected 'debugger' statement"]);
    expect(ids(found("javac-werror"))).toHaveLength(2);
  });
});

describe("limits", () => {
  it("counts all failures, keeps 2,000, and keeps the details of 200", () => {
    const output = Array.from(
      { length: 2_500 },
      (_, at) => `src/a.ts(${at + 1},1): error TS2322: Type ${at} is wrong.\n  more about it`,
    ).join("\n");
    const { summary, failures = [] } = findDiagnostics(output) ?? {};
    expect(summary).toBe("2500 errors in 1 file (tsc)");
    expect(failures).toHaveLength(2_000);
    expect(failures[199]?.message).toBe("TS2322 Type 199 is wrong.\n  more about it");
    expect(failures[200]).toEqual({
      id: "src/a.ts: TS2322 Type 200 is wrong.",
      message: "failed",
      location: "src/a.ts:201",
    });
  });

  // Each would take hours in a parser that is not linear and hit the test timeout.
  const long = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
  test.each([
    ["one long line", long("a")],
    ["dots", long("a.")],
    ["colons", long("a.c:1:")],
    ["blanks", long(" ")],
    ["brackets", long("a(1,1")],
    ["stacks", `Traceback (most recent call last):\n${long('  File "a.py", line 1, in f\n')}`],
    ["tracebacks", long("Traceback (most recent call last):\n")],
    ["frames", long('  File "a.py", line 1\n')],
    ["files", long("src/a.js\n")],
    ["rows", `src/a.js\n${long("  1:1  error  a  b\n")}`],
    ["headings of Node", long("a.js:1\n^\n")],
    ["carets", long("^\n")],
    ["arrows", long("error: a\n --> a.rs:1:1\n")],
    ["long lines", long(`${"a.c:1: ".repeat(500)}\n`)],
    ["long lines of places", long(`${"a.py:1:1: ".repeat(390)}\n`)],
    ["long brackets", long(`${"a(1,1): ".repeat(490)}\n`)],
    ["long words", long(`${"a.".repeat(1_990)}\n`)],
    ["esbuild errors", long("✘ [ERROR] a\n\n    a.js:1:1:\n")],
    ["webpack errors", long("ERROR in ./a.js 1:1\nb\n")],
    ["rollup errors", long("[!] a (1:1): b\n")],
    ["drawings", long("[PARSE_ERROR] a\n ╭─[ a.js:1:1 ]\n │\n")],
    ["offenses", long("a.rb:1:1: C: A/B: c\n^\n")],
    ["carets beside labels", `error: a\n --> a.rs:1:1\n${long("^ ")}`],
  ])("survives a megabyte of %s", (_, text) => {
    expect(() => findDiagnostics(text)).not.toThrow();
  });
});

describe("other output", () => {
  it.each(readdirSync(outputs).sort())("has no diagnostics: %s", (name) => {
    expect(findDiagnostics(readFileSync(new URL(name, outputs), "utf8"))).toBeUndefined();
  });

  it.each([
    "",
    "all good",
    "12:30:45: error: the clock is wrong",
    "http://localhost:80: error: refused",
    "error: could not compile `rs` (lib) due to 1 previous error",
    "    main_test.go:5: want 1, got 2",
    "main.go:12: listening on port 80",
  ])("has no diagnostics: %j", (output) => {
    expect(findDiagnostics(output)).toBeUndefined();
  });

  it("never throws, and the size of every failure is bounded", () => {
    const words = fc.constantFrom(...fixtures.flatMap((file) => fixture(file).split(/(?<=\n)/)));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(words, fc.string({ unit: anyCharacter })), { maxLength: 60 }),
        (parts) => {
          for (const { id, message } of findDiagnostics(parts.join(""))?.failures ?? []) {
            expect(id?.length).toBeLessThan(600);
            expect(message.length).toBeLessThan(1_100);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
