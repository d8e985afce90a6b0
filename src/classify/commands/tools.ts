// Catalog of well-known tools with their settings files and options that name a settings file. Manifests that also list
// dependencies are not settings files; their sections for a tool are protected as parts.

export interface Tool {
  /** How it is called: a program, or a program and a verb or option. */
  readonly called: readonly string[];
  /** Its settings files and files that it loads before the tests. */
  readonly settings: readonly string[];
  /** The keys of its settings in package.json. */
  readonly keys: readonly string[];
  /** Options whose value is a settings or set-up file. */
  readonly options: readonly string[];
  /** The tool only runs tests: its settings are steering even when no gate is seen to call it. */
  readonly runsTests: boolean;
  /** npm packages whose presence means that the tool is used. */
  readonly packages: readonly string[];
}

type Parts = Partial<Omit<Tool, "called">>;

const runner = (called: readonly string[], parts: Parts = {}): Tool => ({
  settings: [],
  keys: [],
  options: [],
  runsTests: true,
  packages: [],
  ...parts,
  called,
});

const other = (called: readonly string[], parts: Parts): Tool =>
  runner(called, { ...parts, runsTests: false });

/** Package managers read it, and it can load code into every node process. */
const NPM = ".npmrc";
const NODE_HOOKS = ["--import", "--require", "-r", "--loader", "--experimental-loader", "--env-file"];

export const TOOLS: readonly Tool[] = [
  runner(["vitest"], {
    settings: [
      "{vitest,vite}.config.*",
      "vitest.{workspace,projects,setup}.*",
      NPM,
      "**/__mocks__/**",
      ".env.test*",
    ],
    options: ["--config", "-c", "--workspace"],
    packages: ["vitest"],
  }),
  runner(["jest", "react-scripts test", "react-app-rewired test", "craco test"], {
    settings: [
      "jest.{config,setup,preset}.*",
      "jest-*.config.*",
      "babel.config.*",
      ".babelrc*",
      "**/__mocks__/**",
      "**/setupTests.*",
      NPM,
      ".env.test*",
    ],
    keys: ["jest", "babel"],
    options: ["--config", "-c", "--setupFiles", "--setupFilesAfterEnv", "--globalSetup"],
    packages: ["jest", "react-scripts"],
  }),
  runner(["mocha", "_mocha", "electron-mocha"], {
    settings: [".mocharc*", "test/mocha.opts", NPM],
    keys: ["mocha"],
    options: ["--config", "--require", "-r", "--file", "--opts", "--import"],
    packages: ["mocha"],
  }),
  runner(["ava"], {
    settings: ["ava.config.*", NPM],
    keys: ["ava"],
    options: ["--config"],
    packages: ["ava"],
  }),
  runner(["tap", "tape"], {
    settings: [".taprc*", NPM],
    keys: ["tap"],
    options: ["--require", "-r"],
    packages: ["tap"],
  }),
  runner(["jasmine", "jasmine-ts"], {
    settings: ["jasmine.json", "spec/support/jasmine.*", NPM],
    options: ["--config", "--helper", "--require"],
    packages: ["jasmine"],
  }),
  runner(["karma", "ng test"], { settings: ["**/karma.conf.*"], packages: ["karma"] }),
  other(["node", "tsx", "ts-node"], { options: NODE_HOOKS }),
  runner(["node --test", "tsx --test"], { settings: [NPM] }),
  runner(["c8", "nyc"], { settings: [".nycrc*", ".c8rc*"], keys: ["nyc", "c8"] }),
  other(["bun test"], { settings: ["bunfig.toml"], options: ["--preload"] }),
  other(["deno test", "deno task"], { settings: ["deno.json", "deno.jsonc"], options: ["--config", "-c"] }),
  runner(["playwright"], {
    settings: ["playwright.config.*"],
    options: ["--config", "-c"],
    packages: ["@playwright/test"],
  }),
  runner(["cypress"], { settings: ["cypress.config.*", "cypress.json"], options: ["--config-file", "-C"] }),
  runner(["wtr", "web-test-runner"], { settings: ["web-test-runner.config.*"], options: ["--config"] }),
  runner(
    ["pytest", "py.test", "unittest", "hatch", "manage.py test", "nox", "tox", "nose2", "green", "trial"],
    {
      settings: [
        "**/conftest.py",
        "{pytest,.pytest}.{ini,toml}",
        "tox.ini",
        "tox.toml",
        "noxfile.py",
        "hatch.toml",
        "unittest.cfg",
        "nose2.cfg",
        ".coveragerc",
        "{site,user}customize.py",
        "*.pth",
      ],
      options: ["-c", "--config-file", "-f", "--noxfile", "--confcutdir"],
    },
  ),
  runner(["behave"], { settings: ["behave.ini", ".behaverc", "**/features/environment.py"] }),
  other(["pre-commit", "prek"], { settings: [".pre-commit-config.yaml"], options: ["--config", "-c"] }),
  other(["invoke", "inv"], { settings: ["tasks.py", "invoke.yaml"] }),
  runner(["go test", "gotestsum", "ginkgo"], { settings: ["**/*_suite_test.go"] }),
  other(["cargo"], {
    settings: [".cargo/config", ".cargo/config.toml", "rust-toolchain*", ".config/nextest.toml"],
    options: ["--config"],
  }),
  other(["dotnet"], {
    settings: ["*.runsettings", "Directory.Build.{props,targets}", "**/xunit.runner.json"],
    options: ["--settings", "-s"],
  }),
  runner(["phpunit", "pest", "paratest", "codecept"], {
    settings: ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "codeception*.yml"],
    options: ["-c", "--configuration", "--bootstrap"],
  }),
  runner(["rspec"], {
    settings: [".rspec", "**/{spec,rails}_helper.rb"],
    options: ["-O", "--options", "-r", "--require"],
  }),
  runner(["cucumber"], { settings: ["cucumber.{yml,yaml,js,json}", "config/cucumber.yml"] }),
  other(["rake", "rails"], {
    settings: ["Rakefile", "rakefile", "Rakefile.rb", "**/test_helper.rb"],
    options: ["-f", "--rakefile"],
  }),
  other(["ruby"], { options: ["-r"] }),
  other(["mvn", "mvnw", "mvnd"], { settings: ["mvnw", ".mvn/**"], options: ["-s", "--settings"] }),
  other(["gradle", "gradlew"], {
    settings: ["gradlew", "gradle/wrapper/**"],
    options: ["-I", "--init-script"],
  }),
  other(["ant"], { settings: ["build.xml"], options: ["-f", "-file", "-buildfile"] }),
  other(["ctest"], { settings: ["CTestConfig.cmake", "CTestCustom.cmake", "CMakePresets.json"] }),
  other(["bazel", "bazelisk"], { settings: [".bazelrc", "user.bazelrc"], options: ["--bazelrc"] }),
  other(["mix"], { settings: ["config/test.exs", "**/test/test_helper.exs"] }),
  runner(["flutter", "dart"], { settings: ["dart_test.yaml", "**/flutter_test_config.dart"] }),
  runner(["busted"], { settings: [".busted"] }),
  runner(["prove"], { settings: [".proverc"] }),
  other(["task"], { settings: ["Taskfile.{yml,yaml,dist.yml,dist.yaml}"], options: ["-t", "--taskfile"] }),
  other(["grunt"], { settings: ["Gruntfile.*"], options: ["--gruntfile"] }),
  other(["gulp"], { settings: ["gulpfile.*"], options: ["-f", "--gulpfile"] }),
  other(["turbo"], { settings: ["turbo.json"] }),
  other(["nx"], { settings: ["nx.json", "**/project.json"] }),
  other(["lerna"], { settings: ["lerna.json"] }),
  other(["docker", "docker-compose", "podman"], {
    settings: ["{docker-compose,compose}*.{yml,yaml}", "Dockerfile*"],
    options: ["-f", "--file"],
  }),
  other(["eslint"], {
    settings: ["eslint.config.*", ".eslintrc*", ".eslintignore"],
    keys: ["eslintConfig"],
    options: ["-c", "--config"],
  }),
  other(["biome"], { settings: ["biome.json", "biome.jsonc"], options: ["--config-path"] }),
  other(["prettier"], {
    settings: [".prettierrc*", ".prettierignore", "prettier.config.*"],
    keys: ["prettier"],
    options: ["--config", "--ignore-path"],
  }),
  other(["tsc --noEmit"], { settings: ["tsconfig*.json"], options: ["-p", "--project"] }),
  other(["xo"], { settings: ["xo.config.*", ".xo-config*"], keys: ["xo"] }),
  other(["ruff"], { settings: ["ruff.toml", ".ruff.toml"], options: ["--config"] }),
  other(["mypy"], { settings: ["mypy.ini", ".mypy.ini"], options: ["--config-file"] }),
  other(["pyright"], { settings: ["pyrightconfig.json"], options: ["-p", "--project"] }),
  other(["flake8"], { settings: [".flake8"], options: ["--config"] }),
  other(["pylint"], { settings: [".pylintrc", "pylintrc"], options: ["--rcfile"] }),
  other(["golangci-lint"], { settings: [".golangci.*"], options: ["-c", "--config"] }),
  other(["rubocop"], { settings: [".rubocop.yml"], options: ["-c", "--config"] }),
  other(["clippy"], { settings: ["clippy.toml", ".clippy.toml"] }),
  other(["phpstan"], { settings: ["phpstan.neon*"], options: ["-c", "--configuration"] }),
  other(["shellcheck"], { settings: [".shellcheckrc"] }),
];

/** The program name in a word, without folder, extension and version (`pnpm@10`). */
export function programIn(word: string): string {
  const name = word.slice(word.lastIndexOf("/") + 1);
  return name.replace(/(?<=.)@[^@]*$/, "").replace(/\.(?:[cm]?js|cmd|exe|bat)$/, "");
}

function isCalled(name: string, words: readonly string[]): boolean {
  const [first = "", second] = name.split(" ");
  const at = words.findIndex((word) => programIn(word) === first);
  if (at === -1 || second === undefined) return at !== -1;
  const rest = words.slice(at + 1);
  // An option may appear anywhere after the program; a verb is the first word that is not an option.
  return second.startsWith("-") ? rest.includes(second) : rest.find((word) => !/^[-+]/.test(word)) === second;
}

export function toolsIn(words: readonly string[]): readonly Tool[] {
  return TOOLS.filter(({ called }) => called.some((name) => isCalled(name, words)));
}
