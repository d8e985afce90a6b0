// Naming conventions for tests, test data and manifests by language. Order matters within each list.

const SCRIPT = "{js,cjs,mjs,jsx,ts,cts,mts,tsx}";

/** Names that always mean a test: [pattern, language of the convention]. */
export const TEST_NAMES: readonly (readonly [pattern: string, of: string])[] = [
  [`**/*.{test,spec,tests,specs,e2e,e2e-spec,cy}.${SCRIPT}`, "JavaScript"],
  ["**/*.{test,spec}.{vue,svelte,coffee}", "JavaScript"],
  ["**/*.test-d.{ts,tsx,mts,cts}", "tsd"],
  ["**/test_*.py", "pytest"],
  ["**/*_{test,tests}.py", "pytest"],
  ["**/*_test.go", "Go"],
  ["**/tests.rs", "Rust"],
  ["**/*{Test,Tests,TestCase,IT}.{java,kt,kts,groovy,scala}", "JUnit"],
  ["**/*_{spec,test}.rb", "Ruby"],
  ["**/*.feature", "Gherkin"],
  ["**/*_test.{exs,ex,dart,clj,cljs,cljc,bats}", "the language"],
  ["**/*_spec.lua", "busted"],
  ["**/*_{SUITE,tests}.erl", "Erlang"],
  ["**/*.{bats,robot,t}", "the test runner"],
  ["**/*{_,-}{test,tests}.{sh,bash}", "shell"],
];

/** Names that often mean a test; the file must also contain test cases. */
export const LIKELY_TEST_NAMES: readonly string[] = [
  `**/*{-,_}{test,tests,spec}.${SCRIPT}`,
  `**/test{-,_}*.${SCRIPT}`,
  `**/{test,tests,spec}.${SCRIPT}`,
  `**/*{Spec,Test}.${SCRIPT}`,
  "**/{test,tests}.py",
  "**/{*_test,*_tests,test_*,test}.rs",
  "**/{*_,*-,}{test,tests,unittest,unittests}.{c,cc,cpp,cxx}",
  "**/{*Test,*Tests,test_*,test-*}.{c,cc,cpp,cxx}",
  "**/{Test*,*Spec,*Suite,*Specs}.{java,kt,groovy,scala}",
  "**/*{Test,Tests,Spec,Specs}.{cs,fs,vb,php,swift,hs}",
  "**/{test_,spec_}*.rb",
  "**/{*_test,test_*}.{lua,ml,zig,nim,jl,R,r}",
  "**/{test-,test_}*.{sh,bash}",
  "**/{test,tests}.{sh,bash}",
];

const JVM =
  /@Test\b|extends\s+TestCase|org\.junit|org\.testng|kotlin\.test|io\.kotest|org\.scalatest|spock\.lang|munit/;
const C =
  /\bTEST(?:_F|_P|_CASE|_GROUP)?\s*\(|\bgtest\b|catch2?\b|unity\.h|doctest|BOOST_AUTO_TEST|\bint\s+main\s*\(|cmocka|criterion/i;
const SHELL = /assert|expect|fail|exit 1|\bdiff\b|\bcmp\b|\btest\b/i;
const JS =
  /(?<![.\w$])(?:describe|it|test|suite|specify|tape|Deno\.test|QUnit\.test|t\.test)(?:\.\w+)*\s*\(\s*["'`]|(?:from|require\()\s*["'](?:node:test|(?:node:)?assert(?:\/strict)?|vitest|@jest\/globals|ava|tape|tap|uvu|bun:test|chai)["']/;

/** Patterns of test cases by file extension. */
export const TEST_CASES: Readonly<Record<string, RegExp>> = {
  js: JS,
  cjs: JS,
  mjs: JS,
  jsx: JS,
  ts: JS,
  cts: JS,
  mts: JS,
  tsx: JS,
  py: /^\s*(?:async\s+)?def test|^class \w*Test|\bunittest\b|\bpytest\b/m,
  rs: /#\[(?:\w+::)*test\b|#\[rstest|#\[test_case/,
  c: C,
  cc: C,
  cpp: C,
  cxx: C,
  java: JVM,
  kt: JVM,
  groovy: JVM,
  scala: JVM,
  cs: /\[(?:Fact|Theory|Test|TestMethod|TestFixture|TestCase|TestClass)\b/,
  fs: /\[<(?:Fact|Theory|Test|Tests)\b|Expecto/,
  vb: /<(?:Fact|Test|TestMethod)\b/,
  php: /PHPUnit|extends\s+\w*TestCase|^\s*(?:it|test)\(/m,
  swift: /\bXCTest|import Testing\b/,
  hs: /Test\.|hspec/i,
  rb: /[Mm]initest|Test::Unit|RSpec|^\s*(?:describe|test|it)\b|def test_/m,
  lua: /describe\(|luaunit|busted/,
  ml: /alcotest|ounit|test/i,
  zig: /^test\b/m,
  nim: /unittest/,
  jl: /@test/,
  R: /testthat|test_that/,
  r: /testthat|test_that/,
  sh: SHELL,
  bash: SHELL,
};

/**
 * `test.py` and `tests.py` may be source about tests: a test client, the tests of a template engine. Without a test
 * library, a function `test_…` must contain an assertion.
 */
export const PYTHON_TEST_CASES =
  /\bunittest\b|\bpytest\b|\bTestCase\b|^(?=[\s\S]*\bassert)[\s\S]*?(?:^|\n)[ \t]*(?:async[ \t]+)?def test/;

/** Paths that are source despite a likely test name: Rust's tests in `src` are protected as parts of their files. */
export const NOT_TESTS = /(?:^|\/)(?:src\/.*\.rs|lib\/.*\.rb|Sources\/.*\.swift)$/;

/** Paths that always contain tests or test data. */
export const TEST_FOLDERS: readonly (readonly [pattern: string, reason: string])[] = [
  ["**/__tests__/**", "folder of tests"],
  ["**/__snapshots__/**", "snapshots that tests compare with"],
  ["**/{testdata,test-data,test_data,testfixtures,test-fixtures,test_fixtures,__fixtures__}/**", "test data"],
  ["**/*.{snap,golden,ambr}", "snapshot that tests compare with"],
  ["**/*.{approved,verified}.*", "snapshot that tests compare with"],
  [
    "**/src/{test,it,androidTest,testFixtures,integrationTest,functionalTest}/{java,kotlin,scala,groovy,resources}/**",
    "test source set",
  ],
  ["**/src/{common,jvm,js,native,android,ios,desktop,wasm,wasmJs}Test/**", "test source set"],
  ["**/cypress/{e2e,integration,component,fixtures,support}/**", "Cypress folder"],
];

/** Packages, lock files and manifests. Manifests are unprotected except for their test-runner sections. */
export const DEPENDENCIES: readonly (readonly [pattern: string, reason: string])[] = [
  ["**/{node_modules,.venv,venv,.tox,bower_components,Pods,site-packages}/**", "installed packages"],
  [
    "**/{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock,poetry.lock,uv.lock,pdm.lock,Pipfile.lock,Cargo.lock,go.sum,Gemfile.lock,composer.lock,mix.lock,pubspec.lock,Package.resolved,Podfile.lock,packages.lock.json,gradle.lockfile,flake.lock}",
    "lockfile",
  ],
  [
    "**/{package.json,pyproject.toml,setup.py,setup.cfg,Pipfile,Cargo.toml,go.mod,go.work,Gemfile,composer.json,mix.exs,pubspec.yaml,Package.swift,Podfile,pom.xml,build.gradle,build.gradle.kts,settings.gradle,settings.gradle.kts,libs.versions.toml,build.sbt,deps.edn,project.clj,stack.yaml,dune-project,pnpm-workspace.yaml,vcpkg.json,conanfile.txt,conanfile.py}",
    "manifest that lists dependencies",
  ],
  [
    "**/{requirements*.txt,requirements/*.txt,*.gemspec,*.csproj,*.fsproj,*.vbproj,*.cabal,*.opam,Directory.Packages.props}",
    "manifest that lists dependencies",
  ],
];

/** Paths that tools write in any project. */
export const OUTPUTS: readonly (readonly [pattern: string, reason: string])[] = [
  [
    "**/{__pycache__,.pytest_cache,.mypy_cache,.ruff_cache,.nyc_output,.gradle,.dart_tool,.eggs}/**",
    "cache of a tool",
  ],
  ["**/*.{pyc,pyo,class,o,obj,trs}", "compiled or generated by a tool"],
];

/** Paths that are source whatever their name. */
export const SOURCES: readonly (readonly [pattern: string, reason: string])[] = [
  ["**/src/{main,commonMain,jvmMain,jsMain,nativeMain,androidMain,iosMain}/**", "main source set"],
];

/** A folder that contains one of these is the root of a package. */
export const MANIFESTS =
  /^(?:package\.json|pyproject\.toml|setup\.py|Cargo\.toml|go\.mod|Gemfile|composer\.json|mix\.exs|pubspec\.yaml|Package\.swift|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|Makefile(?:\.am)?|meson\.build|build\.sbt|deno\.jsonc?|.+\.(?:gemspec|csproj|fsproj|cabal))$/;
