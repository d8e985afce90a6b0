import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findProtect } from "#config/find-protect";
import type { Component, GatePolicy, Protect } from "#spec/task";
import { protectionName } from "#text/protection-name";
import { matcher } from "#workspaces/protect/matcher";
import { temporary, write } from "../../support/folders.ts";
import { problemsIn, readYaml } from "./fixtures.ts";

type Files = Readonly<Record<string, string>>;

const scripts = (all: Files, rest: object = {}): Files => ({
  "package.json": JSON.stringify({ scripts: all, ...rest }),
});

async function protectFor(uses: readonly Omit<Component, "type">[], files: Files = {}, more: object = {}) {
  const dir = temporary();
  write(dir, files);
  const gates = uses.map((use, index) => ({
    name: `${index}`,
    use: { type: "command", ...use },
    policy: {} as GatePolicy,
  }));
  const strategy = { type: "fixed" };
  return findProtect({
    option: { action: "restore" },
    gates,
    dir,
    sources: [],
    strategy,
    prompt: "",
    ...more,
  });
}

/** Protected paths, with a + where new files are allowed. */
const names = ({ protect }: { readonly protect?: Protect }) =>
  (protect?.paths ?? []).map((one) => protectionName(one) + (one.grows ? " +" : ""));

const protectedBy = async (command: string | readonly string[], files: Files = {}) =>
  names(await protectFor([{ command }], files));

/** Whether a change to an existing file, and a new file, would be reverted. */
async function policyFor(command: string | readonly string[], files: Files = {}) {
  const { protect, warnings } = await protectFor([{ command }], files);
  const matchers = (protect?.paths ?? []).filter(({ key, part }) => !key && !part).map(matcher);
  const matchersOf = (file: string) => matchers.filter((one) => one.matches(file));
  return {
    warnings,
    protects: (file: string) => matchersOf(file).length > 0,
    refusesNew: (file: string) => matchersOf(file).some(({ protection }) => !protection.grows),
  };
}

describe("the scripts that a gate runs", () => {
  it.each([
    "npm test",
    "npm t",
    "pnpm test",
    "yarn test",
    "npm run test",
    "bun run test",
    "CI=1 npm -s test",
  ])("%s", async (command) => {
    expect(await protectedBy(command, scripts({ test: "./run" }))).toEqual([
      ".npmrc",
      "package.json#scripts.test",
      "package.json#scripts.pretest",
      "package.json#scripts.posttest",
    ]);
  });

  it("may be added when missing, or when it is npm's placeholder", async () => {
    const placeholder = 'echo "Error: no test specified" && exit 1';
    expect(await protectedBy("npm test", scripts({ test: placeholder }))).not.toContain(
      "package.json#scripts.test",
    );
    expect(await protectedBy("npm test", scripts({}))).not.toContain("package.json#scripts.test");
    expect(await protectedBy("npm test", scripts({}))).toContain("package.json#scripts.pretest");
  });

  it("are followed through nested scripts, and cycles only once", async () => {
    const all = scripts({
      test: "npm run test:unit && yarn lint",
      "test:unit": "run-s 'part:*'",
      "part:a": "npm test",
      "part:b": "node ci/b.js",
      lint: "eslint .",
      other: "vitest",
    });
    const paths = await protectedBy("npm test", { ...all, "ci/b.js": "" });
    for (const name of ["test", "pretest", "test:unit", "pretest:unit", "part:a", "part:b", "lint"])
      expect(paths).toContain(`package.json#scripts.${name}`);
    expect(paths).toContain("ci/b.js");
    expect(paths).toContain("eslint.config.*");
    expect(paths).not.toContain("package.json#scripts.other");
    expect(paths).not.toContain("{vitest,vite}.config.*");
  });

  it("belong to the folder that the gate runs in", async () => {
    const files = { "app/package.json": JSON.stringify({ scripts: { test: "jest" } }), "app/test/a": "" };
    const paths = names(await protectFor([{ command: "npm test", cwd: "app" }], files));
    expect(paths).toContain("app/package.json#scripts.test");
    expect(paths).toContain("app/package.json#jest");
    expect(paths).toContain("app/jest.{config,setup,preset}.*");
    expect(paths).toContain("app/test/** +");
    for (const command of ["cd app && npm test", "npm --prefix app test", "pnpm -C app test"])
      expect(await protectedBy(command, files), command).toContain("app/jest.{config,setup,preset}.*");
  });

  it("include those of all packages when the gate runs all of them", async () => {
    const paths = await protectedBy("npm test --workspaces", scripts({}, { workspaces: ["packages/*"] }));
    expect(paths).toContain("**/package.json#scripts.test");
  });
});

describe("the tool that a gate uses", () => {
  it.each([
    ["npx vitest run", "vitest.config.mts", ".env.test"],
    ["node_modules/.bin/jest --ci", "jest.config.js", "__mocks__/fs.js"],
    ["mocha", ".mocharc.yml", ".npmrc"],
    ["npx ava", "ava.config.js"],
    ["tap", ".taprc"],
    ["node --enable-source-maps --test", ".npmrc"],
    ["npx playwright test", "playwright.config.ts"],
    ["cypress run", "cypress.config.ts"],
    ["python -m pytest -q", "conftest.py", "pytest.ini", "pytest.py", "tests/conftest.py"],
    ["uv run tox", "tox.ini"],
    ["hatch test", "hatch.toml", "conftest.py"],
    ["pre-commit run -a", ".pre-commit-config.yaml"],
    ["cargo test", ".cargo/config.toml"],
    ["dotnet test", "a.runsettings"],
    ["vendor/bin/phpunit", "phpunit.xml"],
    ["bundle exec rspec", ".rspec"],
    ["rake", "Rakefile"],
    ["mvn -q verify", ".mvn/jvm.config"],
    ["./gradlew test", "gradlew"],
    ["react-scripts test", "src/setupTests.js"],
    ["ng test", "karma.conf.js"],
    ["sh -c 'FORCE=1 npx vitest'", "vite.config.ts"],
    ["tsc && vitest | tee log; true", "vite.config.ts"],
  ])("%s: new settings files are rejected", async (command, ...settings) => {
    const { refusesNew } = await policyFor(command, { "tests/test_a.py": "" });
    expect(settings.filter((file) => !refusesNew(file))).toEqual([]);
    expect(refusesNew("src/new.ts")).toBe(false);
  });

  it("is recognised as program and arguments too", async () => {
    expect((await policyFor(["npx", "vitest", "run"])).refusesNew("vitest.config.ts")).toBe(true);
  });

  it("is recognised by the package's dependencies when the gate does not name it", async () => {
    const files = { "package.json": JSON.stringify({ devDependencies: { vitest: "4" } }) };
    expect((await policyFor("docker compose run test", files)).refusesNew("vitest.config.ts")).toBe(true);
    expect((await policyFor("docker compose run test")).refusesNew("vitest.config.ts")).toBe(false);
  });

  it("has settings in every package of a monorepo", async () => {
    expect(await protectedBy("vitest", scripts({}, { workspaces: [] }))).toContain(
      "**/{vitest,vite}.config.*",
    );
    expect(await protectedBy("vitest", { "pnpm-workspace.yaml": "" })).toContain("**/.npmrc");
  });

  it("may take other settings files through its options", async () => {
    const files = { "ci.config.ts": "", "src/app.js": "", "src/a.ts": "", "test/a.ts": "" };
    expect(await protectedBy("vitest --config=ci.config.ts", files)).toContain("ci.config.ts");
    for (const command of ["node -c src/app.js", "eslint -c src", "prettier -c src test", "vitest -c src"])
      expect((await policyFor(command, files)).protects("src/app.js"), command).toBe(false);
  });
});

const LIBRARY = { "src/lib.py": "", "tests/test_lib.py": "def test_a(): pass\n" };
const NODE = { "src/a.js": "", "src/a.test.js": "test('a', () => {});\n" };
const C = { "src/a.c": "", "tests/a.c": "int main(void) { return 0; }\n" };

describe("tests are protected whatever the gate's command is", () => {
  it.each<[string, Files]>([
    ["make test", LIBRARY],
    ["just test", LIBRARY],
    ["./run.sh", { ...LIBRARY, "run.sh": "python -m pytest\n" }],
    ["scripts/ci.sh", { ...LIBRARY, "scripts/ci.sh": "cd src\nexec pytest\n" }],
    ["python manage.py test", { ...LIBRARY, "manage.py": "" }],
    ["hatch test", LIBRARY],
    ["pre-commit run -a", LIBRARY],
    ["cd src && pytest", LIBRARY],
    ["npm test --workspaces", { ...NODE, ...scripts({}, { workspaces: ["packages/*"] }) }],
    ["npx -y pnpm@10 test", { ...NODE, ...scripts({ test: "vitest" }) }],
    ["npx turbo run test", NODE],
    ["nx run-many -t test", NODE],
    ["lerna run test", NODE],
    ["react-scripts test", NODE],
    ["ng test", { "src/a.ts": "", "src/a.spec.ts": "" }],
    ["karma start --single-run", NODE],
    ["jasmine", { "lib/a.js": "", "spec/aSpec.js": "describe('a', () => {});\n" }],
    ["tape test/*.js", { "index.js": "", "test/a.js": "" }],
    ["bats .", { "tool.sh": "", "tool.bats": "@test a { true; }\n" }],
    ["cmake --build build", { "a.cpp": "", "a_test.cpp": '#include "catch.hpp"\n' }],
    ["ctest --test-dir build", C],
    ["meson test -C build", C],
    ["ninja -C build check", C],
    ["bazel test //...", { "a/a.go": "", "a/a_test.go": "" }],
    ["mix test", { "lib/a.ex": "", "test/a_test.exs": "" }],
    ["swift test", { "Sources/A/A.swift": "", "Tests/ATests/ATests.swift": "import XCTest\n" }],
    ["flutter test", { "lib/a.dart": "", "test/a_test.dart": "" }],
    ["bin/rails test", { "app/models/a.rb": "", "test/models/a_test.rb": "" }],
    [
      "java -jar junit-console.jar --scan-classpath",
      { "src/main/java/A.java": "", "src/test/java/ATest.java": "@Test\n" },
    ],
    ["node tools/all.mjs", NODE],
    ["true", LIBRARY],
  ])("%s", async (command, files) => {
    const { protects, refusesNew, warnings } = await policyFor(command, files);
    const isTest = (file: string) => /test|spec/i.test(file) && !file.endsWith(".sh");
    const sources = Object.keys(files).filter(
      (file) => /^(?:src|lib|app|Sources)\//.test(file) && !isTest(file),
    );
    const tests = Object.keys(files).filter(isTest);
    expect(tests.filter((file) => !protects(file))).toEqual([]);
    expect(sources.filter(protects)).toEqual([]);
    // A new test is welcome.
    expect(tests.map((file) => file.replace(/a(?=\.|_|Spec)|lib(?=\.)/, "fresh")).filter(refusesNew)).toEqual(
      [],
    );
    expect(warnings).toEqual([]);
  });

  it("warns when there are no tests", async () => {
    expect((await policyFor("./run.sh", { "run.sh": "true\n", "a.c": "" })).warnings).toEqual([
      expect.stringMatching(/^no tests are protected: .*--protect GLOB$/),
    ]);
  });
});

describe("the recipes that a gate runs", () => {
  it("are protected by target, and followed through scripts", async () => {
    const files = {
      Makefile:
        "OBJS = a.o\ntest: build\n\tscripts/unit.sh\nbuild:\n\tcc $(OBJS)\nrelease:\n\t./publish.sh\n",
      "scripts/unit.sh": '#!/bin/sh\ncd "$(dirname "$0")/.."\n. ./helpers.sh\n"$ROOT/more.sh"\n',
      "helpers.sh": "",
      "more.sh": "npx mocha\n",
      "publish.sh": "",
    };
    const paths = await protectedBy("make -j4 test", files);
    for (const name of [
      "Makefile (target test)",
      "scripts/unit.sh",
      "helpers.sh",
      "more.sh",
      ".mocharc*",
      "GNUmakefile",
    ])
      expect(paths).toContain(name);
    for (const name of ["Makefile", "publish.sh"]) expect(paths).not.toContain(name);
  });

  it("are found in the folder and file that make's options name", async () => {
    const files = {
      "sub/Makefile": "check:\n\t./check.sh\n",
      "sub/check.sh": "",
      "ci.mk": "all:\n\t./run.sh\n",
      "run.sh": "",
    };
    expect(await protectedBy("make -C sub check", files)).toEqual(
      expect.arrayContaining(["sub/Makefile (target check)", "sub/check.sh"]),
    );
    expect(await protectedBy("make -f ci.mk", files)).toEqual(
      expect.arrayContaining(["ci.mk (target )", "run.sh"]),
    );
  });

  it("include those of a justfile", async () => {
    const paths = await protectedBy("just test", {
      justfile: "test: lint\n    ./check.sh\nlint:\n    ruff check\n",
      "check.sh": "",
    });
    for (const name of ["justfile (recipe test)", "check.sh", "ruff.toml"]) expect(paths).toContain(name);
  });
});

describe("a file that the prompt names", () => {
  const protectWithPrompt = (prompt: string, files: Files) =>
    protectFor([{ command: "vitest run" }], files, { prompt });

  it("may be created when it does not exist yet", async () => {
    const { protect } = await protectWithPrompt("Add a vitest.config.ts, and tests.", {
      "test/a.test.ts": "",
    });
    const refuses = (file: string) =>
      (protect?.paths ?? []).some((one) => !one.key && !one.part && !one.grows && matcher(one).matches(file));
    expect(refuses("vitest.config.ts")).toBe(false);
    expect(refuses("vite.config.ts")).toBe(true);
  });

  it("stays protected when it exists", async () => {
    const { protect } = await protectWithPrompt("Make test/a.test.ts pass.", { "test/a.test.ts": "" });
    expect(protect?.paths.some((one) => matcher(one).matches("test/a.test.ts"))).toBe(true);
  });
});

describe("the program that a gate runs", () => {
  it.each([
    "./check.sh",
    "bash ci/verify.sh",
    "node scripts/run-tests.mjs",
    "sh -e e2e/all",
    "diff out expected.txt",
  ])("is protected when it looks like a check: %s", async (command) => {
    const file = command.split(" ").at(-1)?.replace("./", "") ?? "";
    expect(await protectedBy(command, { [file]: "" })).toEqual([file]);
  });

  it.each(["node app.js", "./bin/app --self", "test -f out.txt", "python latest.py", "cat contest/a"])(
    "is not protected when it may be what the agent should change: %s",
    async (command) => {
      expect(
        await protectedBy(command, {
          "app.js": "",
          "bin/app": "",
          "out.txt": "",
          "latest.py": "",
          "contest/a": "",
        }),
      ).toEqual([]);
    },
  );

  it("is not protected when it does not exist yet or is outside the workspace", async () => {
    expect(await protectedBy("./check.sh")).toEqual([]);
    expect(await protectedBy("../check.sh; /bin/test/x")).toEqual([]);
  });

  it("is matched literally, even when its name looks like a glob", async () => {
    expect(await protectedBy("node 'checks/[id]*.js'", { "checks/[id]*.js": "" })).toEqual([
      "checks/\\[id\\]\\*.js",
    ]);
  });
});

it("finds commands and files to compare with in the options of any gate", async () => {
  const use = {
    levels: [
      { commands: ["npx jest", "true"], setup: "make" },
      {
        checks: [
          { command: ["node", "app.js"], stdin: { file: "in.json" }, equals: { file: "expected/out.json" } },
        ],
      },
      { file: "src/made.json", schema: "shape.json" },
      { equals: "just a text", schema: { type: "object" } },
    ],
  };
  const files = {
    "in.json": "",
    "expected/out.json": "",
    "src/made.json": "",
    "shape.json": "",
    "app.js": "",
  };
  const paths = names(await protectFor([use], files));
  for (const name of ["jest.{config,setup,preset}.*", "in.json", "expected/out.json", "shape.json"])
    expect(paths).toContain(name);
  for (const name of ["src/made.json", "app.js"]) expect(paths).not.toContain(name);
});

it("protects the task file and a custom strategy inside the workspace", async () => {
  const dir = temporary();
  write(dir, { "project/converge.yaml": "", "project/mine.mjs": "", "user.yaml": "" });
  const project = path.join(dir, "project");
  fs.symlinkSync(project, path.join(dir, "alias"));
  const { protect } = await findProtect({
    option: { action: "restore" },
    prompt: "",
    gates: [],
    dir: path.join(dir, "alias"),
    sources: [path.join(project, "converge.yaml"), path.join(dir, "user.yaml")],
    strategy: { type: "custom", module: path.join(dir, "alias/mine.mjs") },
  });
  expect(protect?.paths.map(protectionName)).toEqual(["converge.yaml", "mine.mjs"]);
  expect(protect?.action).toBe("restore");
});

it("protects nothing when nothing is found", async () => {
  expect((await protectFor([{ command: "true" }])).protect).toBeUndefined();
});

describe("tolerates an invalid package.json", () => {
  it.each([
    "not JSON",
    "null",
    "[]",
    '{"scripts":[]}',
    '{"scripts":{"test":{"a":1}}}',
    '{"scripts":null,"workspaces":7}',
    `{"scripts":{"test":${JSON.stringify("'".repeat(50_000))}}}`,
    `"${"x".repeat(2_000_000)}"`,
    `{"scripts":{"test":${JSON.stringify(`sh -c "${'\\"'.repeat(2_000)} npm test"`)},"__proto__":"npm test"}}`,
  ])("%.40s", async (text) => {
    expect(await protectedBy("npm test", { "package.json": text })).toContain("package.json#scripts.pretest");
  });

  it("tolerates a folder named package.json", async () => {
    expect(await protectedBy("npm test", { "package.json/x": "" })).toContain("package.json#scripts.pretest");
  });
});

describe("protect in the task file", () => {
  const TASK = "prompt: x\nagent: claude\ngates: [vitest]\n";
  const read = async (protect: string, files: Files = {}) =>
    (await readYaml(`${TASK}protect: ${protect}\n`, files)).task.protect;

  it("replaces the files that the classifier finds", async () => {
    expect(await read('["test/**", "package.json#scripts.test", "./a//b/", "vitest.config.*"]')).toEqual({
      paths: [
        { path: "test/**", grows: true },
        { path: "package.json", key: ["scripts", "test"], grows: false },
        { path: "a/b/**", grows: true },
        { path: "vitest.config.*", grows: false },
      ],
      action: "restore",
    });
  });

  it("can allow or refuse new files, also for default paths", async () => {
    const protect = await read(
      '[default, {path: "test/**", new: refuse}, {path: "{vitest,vite}.config.*", new: allow}]',
    );
    expect(protect?.paths).toContainEqual({ path: "test/**", grows: false });
    expect(protect?.paths).toContainEqual({ path: "{vitest,vite}.config.*", grows: true });
    expect(protect?.paths.filter(({ path: one }) => one === "{vitest,vite}.config.*")).toHaveLength(1);
  });

  it.each(["off", "false", "[]", "{paths: []}"])("can disable protection: %s", async (written) => {
    expect(await read(written)).toBeUndefined();
  });

  it.each(["on", "{action: fail}", "[default]"])("can keep the default: %s", async (written) => {
    const protect = await read(written);
    expect(protect?.paths.map(protectionName)).toContain("converge.yaml");
    expect(protect?.paths.map(protectionName)).toContain("{vitest,vite}.config.*");
    expect(protect?.action).toBe(written.includes("fail") ? "fail" : "restore");
  });

  it("accepts quoted keys with dots", async () => {
    const paths = (await read(`['a.json#"b.c".d', 'a.json#"say \\"x\\"."', 'x[#]y/a', 'a.json#@s:t-u_1']`))
      ?.paths;
    expect(paths?.map(({ key }) => key)).toEqual([["b.c", "d"], ['say "x".'], undefined, ["@s:t-u_1"]]);
    expect(paths?.map(protectionName)).toEqual([
      'a.json#"b.c".d',
      'a.json#"say \\"x\\"."',
      "x[#]y/a",
      "a.json#@s:t-u_1",
    ]);
  });

  it.each([
    ["[../x]", 'protect[0]: expected a path inside the workspace, got "../x"'],
    ["[a/../../x]", "protect[0]: expected a path inside the workspace"],
    ["[/etc/x]", "protect[0]: expected a path inside the workspace"],
    ['["!x"]', "are not supported"],
    ["[a, node_modules/x/**]", "protect[1]: expected a path outside node_modules"],
    ['["**/.git/config"]', "expected a path outside .git"],
    ['["a.json#"]', "expected keys after the #"],
    ['["C#/**"]', "a # in a path is written [#]"],
    ['["#a"]', "expected a path before the #"],
    ['[{path: "../x", new: allow}]', "protect[0]: expected a path inside the workspace"],
    ["{paths: [../x]}", "protect.paths[0]: expected a path inside the workspace"],
    ["[{path: a, new: maybe}]", "expected allow or refuse"],
    ["{action: undo}", "expected restore, fail or allow"],
    ["7", "expected a list of paths, off or {paths"],
  ])("is rejected when invalid: %s", async (written, message) => {
    const problems = await problemsIn(`${TASK}protect: ${written}\n`);
    expect(problems.join("\n")).toContain(message);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^converge\.yaml:4:/);
  });
});
