import { describe, expect, it } from "vitest";
import { openClassifier } from "#classify/classify";
import type { FileClass } from "#spec/file-class";
import { temporary, write } from "../../support/folders.ts";

type Files = Readonly<Record<string, string>>;
type Expected = Partial<Record<FileClass, readonly string[]>>;

/** Writes the files, plus an empty file for every expected path, and classifies each expected path. */
async function classes(command: string, files: Files, expected: Expected, outputs: readonly string[] = []) {
  const dir = temporary();
  const paths = Object.values(expected).flat();
  write(dir, { ...Object.fromEntries(paths.map((file) => [file, ""])), ...files });
  const { classify } = await openClassifier(dir, { commands: [{ command }], outputs });
  const actual: Record<string, string> = {};
  for (const file of paths) actual[file] = classify(file).class;
  return actual;
}

const classByPath = (expected: Expected) =>
  Object.fromEntries(Object.entries(expected).flatMap(([kind, files]) => files.map((file) => [file, kind])));

const PROJECTS: readonly (readonly [name: string, command: string, files: Files, expected: Expected])[] = [
  [
    "AVA with a test file that the gate names",
    "npx ava test/retry.ts",
    {
      "package.json": JSON.stringify({ devDependencies: { ava: "6" } }),
      "test/retry.ts": 'import test from "ava";\ntest("retries", (t) => t.pass());\n',
      "test/main.ts": 'import test from "ava";\ntest("works", (t) => t.pass());\n',
    },
    { source: ["source/index.ts"], test: ["test/retry.ts", "test/main.ts"] },
  ],
  [
    "TypeScript",
    "npm test",
    {
      "package.json": JSON.stringify({ scripts: { test: "vitest run" }, devDependencies: { vitest: "4" } }),
      "src/node-test.ts": 'export const runner = "node:test";\n',
    },
    {
      source: [
        "src/index.ts",
        "src/spec/task.ts",
        "src/testing/index.ts",
        "src/node-test.ts",
        "src/latest.ts",
      ],
      test: [
        "src/a.test.ts",
        "src/b.spec.tsx",
        "test/helper.ts",
        "src/__tests__/x.ts",
        "src/a/__snapshots__/a.snap",
      ],
      steering: ["vitest.config.ts", "src/__mocks__/fs.ts", ".npmrc"],
      dependency: ["package.json", "package-lock.json", "node_modules/x/index.js"],
    },
  ],
  [
    "JavaScript with old-fashioned names",
    "tape 'spec/**/*.js'",
    {
      "lib/store-test.js": 'const test = require("tape");\ntest("x", (t) => t.end());\n',
      "test.js": 'test("x", () => {});\n',
      "lib/test-utils.js": "module.exports = () => 1;\n",
      "spec/aSpec.js": 'describe("a", () => {});\n',
    },
    {
      source: ["lib/test-utils.js", "lib/index.js"],
      test: ["lib/store-test.js", "test.js", "spec/aSpec.js", "spec/data.json"],
    },
  ],
  [
    "Python",
    "python manage.py test",
    {
      "shop/tests.py": "from django.test import TestCase\nclass ShopTest(TestCase): pass\nimport unittest\n",
    },
    {
      source: ["manage.py", "shop/models.py", "django/test/client.py", "shop/testing.py", "latest.py"],
      test: ["shop/tests.py", "tests/test_a.py", "tests/data.json", "shop/test_views.py", "fixtures/a.json"],
      steering: ["tests/conftest.py", "pytest.ini", "tox.ini"],
      dependency: ["pyproject.toml", "requirements-dev.txt"],
      output: ["tests/__pycache__/a.pyc"],
    },
  ],
  [
    "Python whose own subject is tests",
    "pytest",
    {
      "src/web/test.py": "class TestResponse(Response):\n    pass\n",
      "src/template/tests.py": "def test_odd(value: int) -> bool:\n    return value % 2 == 1\n",
      "shop/tests.py": "def test_sum():\n    assert add(1, 1) == 2\n",
      "shop/test.py": "import pytest\n",
      "core/typing/tests/test_typing.py": "def test_x():\n    assert run()\n",
      "core/typing/tests/data/pass/arrays.py": "a = 1\n",
      "core/typing/tests/data/pass/numbers.py": "b = 1\n",
    },
    {
      source: ["src/web/test.py", "src/template/tests.py"],
      test: ["shop/tests.py", "shop/test.py", "core/typing/tests/data/pass/arrays.py"],
    },
  ],
  [
    "Go",
    "make test",
    { Makefile: "test:\n\tgo test ./...\n" },
    {
      source: ["main.go", "internal/test/run.go"],
      test: ["a_test.go", "pkg/testdata/in.txt"],
      steering: ["Makefile"],
      dependency: ["go.mod", "go.sum"],
    },
  ],
  [
    "Rust",
    "cargo test",
    {},
    {
      source: ["src/lib.rs", "src/test_utils.rs"],
      test: ["tests/it.rs", "crates/a/src/tests.rs"],
      steering: [".cargo/config.toml"],
      dependency: ["Cargo.toml", "Cargo.lock", "crates/a/Cargo.toml"],
    },
  ],
  [
    "C",
    "make check",
    {
      Makefile: "check: all\n\t./run-checks.sh\nall:\n",
      "src/jq_test.c": "int jq_testsuite(void) { return 0; }\n",
      "a_test.c": "int main(void) { return 0; }\n",
      "run-checks.sh": "#!/bin/sh\ntests/run\n",
    },
    {
      source: ["src/main.c", "src/jq_test.c"],
      test: ["tests/a.c", "a_test.c"],
      steering: ["run-checks.sh", "Makefile", "tests/run"],
    },
  ],
  [
    "C++",
    "cmake --build build && ctest --test-dir build",
    { "leap_test.cpp": '#include "test/catch.hpp"\nTEST_CASE("a") {}\n' },
    { source: ["leap.cpp", "leap.h"], test: ["leap_test.cpp", "test/catch.hpp"] },
  ],
  [
    "Java",
    "mvn -q verify",
    {},
    {
      source: ["src/main/java/a/TestRunner.java", "src/main/java/a/LoadTest.java"],
      test: ["src/test/java/a/ATest.java", "src/test/resources/a.json", "core/src/test/java/Helper.java"],
      steering: [".mvn/maven.config"],
      dependency: ["pom.xml"],
    },
  ],
  [
    "Kotlin",
    "./gradlew check",
    {},
    {
      source: ["src/commonMain/kotlin/A.kt"],
      test: ["src/commonTest/kotlin/A.kt"],
      steering: ["gradlew"],
      dependency: ["build.gradle.kts"],
    },
  ],
  [
    "Ruby",
    "bundle exec rake",
    { "lib/x/test_case.rb": "require 'minitest'\n" },
    {
      source: ["lib/x.rb", "lib/x/test_case.rb"],
      test: ["test/spec_x.rb", "test/helper.rb", "spec/a_spec.rb"],
      steering: ["Rakefile", ".rspec"],
      dependency: ["Gemfile"],
    },
  ],
  [
    "PHP",
    "composer test",
    {
      "composer.json": JSON.stringify({ scripts: { test: ["@php vendor/bin/phpunit"] } }),
      "phpunit.xml.dist":
        '<phpunit bootstrap="boot.php"><testsuites><testsuite><directory>checks</directory></testsuite></testsuites></phpunit>',
      "checks/ATest.php": "<?php class ATest extends TestCase {}",
      "src/TwigTest.php": "<?php class TwigTest {}",
    },
    {
      source: ["src/TwigTest.php"],
      test: ["checks/ATest.php", "tests/b.php"],
      steering: ["phpunit.xml.dist", "boot.php"],
      dependency: ["composer.json"],
    },
  ],
  [
    ".NET",
    "dotnet test",
    { "src/Lib.Tests/ATests.cs": "[Fact] public void A() {}" },
    {
      source: ["src/Lib/Contest.cs"],
      test: ["src/Lib.Tests/ATests.cs", "src/Lib.Tests/data.json"],
      steering: ["a.runsettings"],
      dependency: ["src/Lib/Lib.csproj"],
    },
  ],
  [
    "Swift, Elixir, Dart, shell",
    "mix test && swift test && flutter test && bats .",
    { "Tests/LibTests/ATests.swift": "import XCTest\n" },
    {
      source: ["Sources/Lib/A.swift", "lib/a.ex", "lib/a.dart", "bin/tool.sh"],
      test: ["Tests/LibTests/ATests.swift", "test/a_test.exs", "pkg/a_test.dart", "tool.bats"],
      steering: ["dart_test.yaml"],
    },
  ],
];

describe("every file has one class", () => {
  it.each(PROJECTS)("%s", async (_name, command, files, expected) => {
    expect(await classes(command, files, expected)).toEqual(classByPath(expected));
  });

  it("classifies files written by gates as output, before any other rule", async () => {
    const expected: Expected = { output: ["tests/a.log", "tests/out/x"], test: ["tests/a.c"] };
    expect(await classes("make", {}, expected, ["tests/a.log", "tests/out/"])).toEqual(classByPath(expected));
  });

  it("treats a folder named tests as tests only if most of its code is tests", async () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`lib/m${n}/tests/test_a.py`, ""]));
    const expected: Expected = {
      test: ["lib/m0/tests/helper.txt", "lib/m3/tests/test_a.py"],
      source: ["lib/exam/tests/models.py", "lib/exam/tests/views.py"],
    };
    expect(await classes("pytest", many, expected)).toEqual(classByPath(expected));
  });

  it("gives the reason for each class", async () => {
    const dir = temporary();
    write(dir, { "tests/a.py": "", "scripts/ci.sh": "pytest\n" });
    const { classify } = await openClassifier(dir, { commands: [{ command: "scripts/ci.sh" }] });
    expect(classify("scripts/ci.sh")).toEqual({ class: "steering", reason: "the gate runs it" });
    expect(classify("conftest.py").reason).toBe("settings of pytest");
    expect(classify("tests/a.py").reason).toBe("folder of tests");
  });
});

describe("the settings of a test runner", () => {
  it.each([
    ["jest in package.json", { "package.json": '{"jest": {"testMatch": ["<rootDir>/checks/**/*.js"]}}' }],
    [
      "jest.config.js",
      { "jest.config.js": "module.exports = {\n  testMatch: ['<rootDir>/checks/**/*.js'],\n};" },
    ],
    [
      "vitest",
      { "vitest.config.ts": 'export default defineConfig({ test: { include: ["checks/**/*.js"] } });' },
    ],
    ["mocha", { ".mocharc.yml": "spec:\n  - checks/**/*.js\n" }],
    ["mocha JSON", { ".mocharc.json": '{ "spec": "checks/**/*.js" }' }],
    ["ava", { "ava.config.mjs": "export default { files: ['checks/**/*'] };" }],
    ["an extended glob", { "jest.config.js": "module.exports = { testMatch: ['**/?(checks)/*.js'] }" }],
  ] as const)("mark test files: %s", async (_name, files) => {
    const all = { ...files, "checks/a.js": 'it("works", () => {});\n' };
    expect(await classes("npm test", all, { test: ["checks/a.js"] })).toEqual({ "checks/a.js": "test" });
  });

  it.each([
    ["pytest.ini", "[pytest]\ntestpaths = checks\n"],
    ["setup.cfg", "[tool:pytest]\npython_files = check_*.py\n"],
    ["pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["checks"]\n'],
  ])("mark Python test files: %s", async (name, text) => {
    const files = { [name]: text, "checks/check_a.py": "def test_a(): pass\n" };
    expect(await classes("pytest", files, { test: ["checks/check_a.py"] })).toEqual({
      "checks/check_a.py": "test",
    });
  });

  it("never turn source files into tests", async () => {
    const files = { "vitest.config.ts": 'export default { test: { include: ["src/**/*.ts"] } };' };
    const expected: Expected = { source: ["src/a.ts", "src/b.ts"] };
    expect(await classes("vitest", files, expected)).toEqual(classByPath(expected));
  });

  it("mark setup files as steering unless source imports them", async () => {
    const files = {
      "vitest.config.ts":
        'export default { test: { setupFiles: ["./setup/first.ts", "./src/polyfill.ts"] } };',
      "src/index.ts": 'import "./polyfill.ts";\n',
    };
    const expected: Expected = { steering: ["setup/first.ts"], source: ["src/polyfill.ts"] };
    expect(await classes("vitest", files, expected)).toEqual(classByPath(expected));
  });
});

describe("parts of files", () => {
  async function partsIn(command: string, files: Files): Promise<string[]> {
    const dir = temporary();
    write(dir, files);
    const { protections } = await openClassifier(dir, { commands: [{ command }] });
    return protections.filter(({ part }) => part).map(({ path, part }) => `${path} ${part?.kind}`);
  }
  const DOCTEST = { "m.py": '"""\n>>> 1 + 1\n2\n"""\n', "plain.py": "x = 1\n" };
  const VITEST = { "src/m.ts": "if (import.meta.vitest) {\n}\n", "src/plain.ts": "export {};\n" };

  it.each<[string, string, Files, string[]]>([
    ["pom.xml", "mvn test", { "pom.xml": "<project/>" }, ["**/pom.xml maven-tests"]],
    ["build.gradle", "./gradlew test", { "build.gradle": "" }, ["**/build.gradle gradle-tests"]],
    ["doctests that the gate runs", "python -m doctest m.py", DOCTEST, ["m.py doctests"]],
    [
      "doctests that the settings of pytest run",
      "pytest",
      { ...DOCTEST, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n" },
      ["m.py doctests"],
    ],
    ["doctests that nothing runs", "pytest", DOCTEST, []],
    [
      "blocks that vitest collects",
      "npx vitest run",
      { ...VITEST, "vitest.config.ts": "export default { test: { includeSource: ['src/**'] } };\n" },
      ["src/m.ts vitest-blocks"],
    ],
    ["blocks that nothing collects", "npx vitest run", VITEST, []],
  ])("are protected only where the gate's tool uses them: %s", async (_, command, files, expected) => {
    expect(await partsIn(command, files)).toEqual(expected);
  });
});
