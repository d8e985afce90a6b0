// What the verdict of each well-known tool rests on. Manifests that list dependencies as well (pyproject.toml, go.mod,
// Cargo.toml, pom.xml) are left free: an agent may have good reason to change them.

export interface Runner {
  /** How it is called: a word, or a word and one behind it. */
  readonly called: readonly string[];
  /** Its settings. New ones are refused: one file can stand before another. */
  readonly settings: readonly string[];
  /** Its settings in package.json. */
  readonly keys: readonly string[];
  /** Its tests by their usual names and folders. New ones may come. */
  readonly tests: readonly string[];
}

const SCRIPT = "{js,cjs,mjs,jsx,ts,cts,mts,tsx}";
const JS_SETTINGS = [".npmrc", ".env.test"];
const JS_TESTS = [
  `**/*.{test,spec}.${SCRIPT}`,
  "**/__tests__/**",
  "**/__mocks__/**",
  "**/__snapshots__/**",
  "test/**",
  "tests/**",
];
const JS_BY_NAME = [
  `**/*{-,_}test.${SCRIPT}`,
  `**/test.${SCRIPT}`,
  `**/test-*.${SCRIPT}`,
  `**/test/**/*.${SCRIPT}`,
];
const PYTHON_TESTS = ["**/test_*.py", "**/*_test.py", "tests/**", "test/**"];
const PYTHON_SETTINGS = ["pytest.ini", ".pytest.ini", "tox.ini", "**/conftest.py", "{site,user}customize.py"];
const ANY_TESTS = ["test/**", "tests/**", "spec/**"];

function runner(called: readonly string[], parts: Partial<Omit<Runner, "called">>): Runner {
  return { settings: [], keys: [], tests: [], ...parts, called };
}

function javascript(
  called: readonly string[],
  settings: readonly string[],
  parts: Partial<Runner> = {},
): Runner {
  return runner(called, {
    keys: parts.keys ?? [],
    settings: [...settings, ...JS_SETTINGS],
    tests: [...JS_TESTS, ...(parts.tests ?? [])],
  });
}

const RUNNERS: readonly Runner[] = [
  javascript(["vitest"], ["{vitest,vite}.config.*", "vitest.{workspace,projects}.*"]),
  javascript(["jest"], ["jest.config.*", "jest.setup.*", "babel.config.*", ".babelrc*"], { keys: ["jest"] }),
  javascript(["mocha"], [".mocharc*"], { keys: ["mocha"] }),
  javascript(["ava"], ["ava.config.*"], { keys: ["ava"], tests: JS_BY_NAME }),
  javascript(["tap"], [".taprc*"], { keys: ["tap"], tests: JS_BY_NAME }),
  javascript(["node --test", "tsx --test"], [], { tests: JS_BY_NAME }),
  javascript(["bun test"], ["bunfig.toml"], { tests: [`**/*_{test,spec}.${SCRIPT}`] }),
  javascript(["deno test"], ["deno.json", "deno.jsonc"], { tests: [`**/*_test.${SCRIPT}`] }),
  javascript(["playwright"], ["playwright.config.*"], { tests: ["e2e/**"] }),
  javascript(["cypress"], ["cypress.config.*", "cypress.json"], { tests: ["cypress/**"] }),
  runner(["pytest", "py.test", "unittest", "nox", "tox"], {
    settings: [...PYTHON_SETTINGS, "noxfile.py"],
    tests: PYTHON_TESTS,
  }),
  runner(["go test", "gotestsum"], { tests: ["**/*_test.go", "**/testdata/**"] }),
  runner(["cargo test", "cargo nextest"], {
    settings: [".cargo/config", ".cargo/config.toml", "rust-toolchain*", ".config/nextest.toml"],
    tests: ["tests/**", "**/tests/**/*.rs"],
  }),
  runner(["dotnet test"], {
    settings: ["*.runsettings", "Directory.Build.{props,targets}", "**/xunit.runner.json"],
    tests: ["**/*{Test,Tests}.{cs,fs,vb}"],
  }),
  runner(["phpunit", "pest"], {
    settings: ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"],
    tests: ["tests/**", "test/**", "**/*Test.php"],
  }),
  runner(["rspec"], { settings: [".rspec"], tests: ["spec/**"] }),
  runner(["rake"], {
    settings: ["Rakefile", "rakefile", "Rakefile.rb"],
    tests: ["test/**", "spec/**", "**/*_{test,spec}.rb"],
  }),
  runner(["mvn", "mvnw"], { settings: ["mvnw", ".mvn/**"], tests: ["**/src/test/**"] }),
  runner(["gradle", "gradlew"], { settings: ["gradlew", "gradle/wrapper/**"], tests: ["**/src/test/**"] }),
  runner(["make", "gmake"], { settings: ["Makefile", "makefile", "GNUmakefile"], tests: ANY_TESTS }),
  runner(["just"], { settings: ["justfile", "Justfile", ".justfile"], tests: ANY_TESTS }),
  runner(["eslint"], {
    settings: ["eslint.config.*", ".eslintrc*", ".eslintignore"],
    keys: ["eslintConfig"],
  }),
  runner(["biome"], { settings: ["biome.json", "biome.jsonc"] }),
  runner(["prettier"], {
    settings: [".prettierrc*", ".prettierignore", "prettier.config.*"],
    keys: ["prettier"],
  }),
  runner(["tsc --noEmit"], { settings: ["tsconfig*.json"] }),
  runner(["ruff"], { settings: ["ruff.toml", ".ruff.toml"] }),
  runner(["mypy"], { settings: ["mypy.ini", ".mypy.ini"] }),
  runner(["flake8"], { settings: [".flake8"] }),
  runner(["golangci-lint"], { settings: [".golangci.*"] }),
  runner(["rubocop"], { settings: [".rubocop.yml"] }),
];

/** The name of the program in a word: its file without the folder and without `.js`. */
export function programIn(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1).replace(/\.(?:[cm]?js|cmd|exe|bat)$/, "");
}

function isCalled(name: string, words: readonly string[]): boolean {
  const [first = "", second] = name.split(" ");
  const at = words.findIndex((word) => programIn(word) === first);
  if (at === -1 || second === undefined) return at !== -1;
  const rest = words.slice(at + 1);
  // An option may stand anywhere behind the program; a verb is the first word that is no option.
  return second.startsWith("-") ? rest.includes(second) : rest.find((word) => !/^[-+]/.test(word)) === second;
}

export function runnersIn(words: readonly string[]): readonly Runner[] {
  return RUNNERS.filter(({ called }) => called.some((name) => isCalled(name, words)));
}
