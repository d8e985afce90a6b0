import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findProtect } from "#app/config/find-protect";
import { protectionName } from "#spec/protection-name";
import type { Component, GatePolicy, Protect } from "#spec/task";
import { temporary, write } from "../../support/folders.ts";
import { problemsIn, readYaml } from "./fixtures.ts";

type Files = Readonly<Record<string, string>>;

const scripts = (all: Files, rest: object = {}): Files => ({
  "package.json": JSON.stringify({ scripts: all, ...rest }),
});

function found(uses: readonly Omit<Component, "type">[], files: Files = {}, more: object = {}) {
  const dir = temporary();
  write(dir, files);
  const gates = uses.map((use, index) => ({
    name: `${index}`,
    use: { type: "command", ...use },
    policy: {} as GatePolicy,
  }));
  const strategy = { type: "fixed" };
  return findProtect({ written: undefined, gates, dir, sources: [], strategy, ...more });
}

/** What may not change, with a + for what may get new files. */
const names = (protect: Protect | undefined) =>
  (protect?.paths ?? []).map((one) => protectionName(one) + (one.grows ? " +" : ""));

const by = (command: string | readonly string[], files: Files = {}) => names(found([{ command }], files));

describe("the scripts that a gate runs", () => {
  it.each([
    "npm test",
    "npm t",
    "pnpm test",
    "yarn test",
    "npm run test",
    "bun run test",
    "CI=1 npm -s test",
  ])("%s", (command) => {
    expect(by(command, scripts({ test: "./run" }))).toEqual([
      ".npmrc",
      "package.json#scripts.test",
      "package.json#scripts.pretest",
      "package.json#scripts.posttest",
    ]);
  });

  it("are followed through scripts that run scripts, and round in circles only once", () => {
    const all = scripts({
      test: "npm run test:unit && yarn lint",
      "test:unit": "run-s 'part:*'",
      "part:a": "npm test",
      "part:b": "node ci/b.js",
      lint: "eslint .",
      other: "vitest",
    });
    const seen = by("npm test", { ...all, "ci/b.js": "" });
    for (const name of ["test", "pretest", "test:unit", "pretest:unit", "part:a", "part:b", "lint"])
      expect(seen).toContain(`package.json#scripts.${name}`);
    expect(seen).toContain("ci/b.js");
    expect(seen).toContain("eslint.config.*");
    expect(seen).not.toContain("package.json#scripts.other");
    expect(seen).not.toContain("{vitest,vite}.config.*");
  });

  it("are those of the folder that the gate works in", () => {
    const files = { "app/package.json": JSON.stringify({ scripts: { test: "jest" } }), "app/test/a": "" };
    const seen = names(found([{ command: "npm test", cwd: "app" }], files));
    expect(seen).toContain("app/package.json#scripts.test");
    expect(seen).toContain("app/package.json#jest");
    expect(seen).toContain("app/jest.config.*");
    expect(seen).toContain("app/test/** +");
    for (const command of ["cd app && npm test", "npm --prefix app test", "pnpm -C app test"])
      expect(by(command, files), command).toContain("app/jest.config.*");
  });

  it("are those of all packages when it runs them all", () => {
    const seen = by("npm test --workspaces", scripts({}, { workspaces: ["packages/*"] }));
    expect(seen).toContain("**/package.json#scripts.test");
  });
});

describe("the tool that a gate uses", () => {
  const tools: readonly [string, readonly string[], readonly string[]][] = [
    ["npx vitest run", ["{vitest,vite}.config.*", ".env.test"], ["**/__snapshots__/** +"]],
    ["node_modules/.bin/jest --ci", ["jest.config.*", "package.json#jest"], ["**/__tests__/** +"]],
    ["mocha", [".mocharc*", "package.json#mocha"], []],
    ["npx ava", ["ava.config.*"], []],
    ["tap", [".taprc*"], []],
    ["node --enable-source-maps --test", [".npmrc"], ["**/test-*.{js,cjs,mjs,jsx,ts,cts,mts,tsx} +"]],
    ["npx playwright test", ["playwright.config.*"], ["e2e/** +"]],
    ["cypress run", ["cypress.config.*"], []],
    ["python -m pytest -q", ["**/conftest.py", "pytest.ini"], ["**/test_*.py +", "tests/** +"]],
    ["uv run tox", ["tox.ini"], ["**/*_test.py +"]],
    ["go test ./...", [], ["**/*_test.go +"]],
    ["cargo test", [".cargo/config.toml"], ["tests/** +"]],
    ["dotnet test", ["*.runsettings"], ["**/*{Test,Tests}.{cs,fs,vb} +"]],
    ["vendor/bin/phpunit", ["phpunit.xml"], ["**/*Test.php +"]],
    ["bundle exec rspec", [".rspec"], ["spec/** +"]],
    ["rake", ["Rakefile"], ["spec/** +"]],
    ["mvn -q verify", [".mvn/**"], ["**/src/test/** +"]],
    ["./gradlew test", ["gradlew"], ["**/src/test/** +"]],
    ["make check", ["Makefile"], ["tests/** +"]],
    ["just check", ["justfile"], ["tests/** +"]],
    ["sh -c 'FORCE=1 npx vitest'", ["{vitest,vite}.config.*"], []],
    ["tsc && vitest | tee log; true", ["{vitest,vite}.config.*"], []],
  ];
  const folders = { "tests/a": "", "spec/a": "", "e2e/a": "" };

  it.each(tools)("%s", (command, settings, tests) => {
    const seen = by(command, folders);
    for (const name of [...settings, ...tests]) expect(seen).toContain(name);
  });

  it("is known as program and arguments too", () => {
    expect(by(["npx", "vitest", "run"])).toContain("{vitest,vite}.config.*");
  });

  it("has settings in every package of a monorepo", () => {
    expect(by("vitest", scripts({}, { workspaces: [] }))).toContain("**/{vitest,vite}.config.*");
    expect(by("vitest", { "pnpm-workspace.yaml": "" })).toContain("**/.npmrc");
  });

  it("has its usual folders only where they are", () => {
    expect(by("vitest", { "test/a": "" })).toContain("test/** +");
    expect(by("vitest")).not.toContain("test/** +");
  });

  it("may be given other settings", () => {
    const files = { "ci.config.ts": "", "build/rules.mk": "", "src/app.js": "" };
    expect(by("vitest --config=ci.config.ts", files)).toContain("ci.config.ts");
    expect(by("make -f build/rules.mk", files)).toContain("build/rules.mk");
    expect(by("node -c src/app.js", files)).toEqual([]);
  });
});

describe("the program that a gate runs", () => {
  it.each([
    "./check.sh",
    "bash ci/verify.sh",
    "node scripts/run-tests.mjs",
    "sh -e e2e/all",
    "diff out expected.txt",
  ])("is protected when it looks like a check: %s", (command) => {
    const file = command.split(" ").at(-1)?.replace("./", "") ?? "";
    expect(by(command, { [file]: "" })).toEqual([file]);
  });

  it.each(["node app.js", "./bin/app --self", "test -f out.txt", "python latest.py", "cat contest/a"])(
    "is free when it may be what is to be changed: %s",
    (command) => {
      expect(
        by(command, { "app.js": "", "bin/app": "", "out.txt": "", "latest.py": "", "contest/a": "" }),
      ).toEqual([]);
    },
  );

  it("is free when it is still to be written, or lies elsewhere", () => {
    expect(by("./check.sh")).toEqual([]);
    expect(by("../check.sh; /bin/test/x")).toEqual([]);
  });

  it("means itself, whatever it is called", () => {
    expect(by("node 'test/[id]*.js'", { "test/[id]*.js": "" })).toEqual(["test/\\[id\\]\\*.js"]);
  });
});

it("the options of any gate are looked into for commands and for files to compare with", () => {
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
  const seen = names(found([use], files));
  for (const name of ["jest.config.*", "Makefile", "in.json", "expected/out.json", "shape.json"])
    expect(seen).toContain(name);
  for (const name of ["src/made.json", "app.js"]) expect(seen).not.toContain(name);
});

it("the task file and a custom strategy are protected when they lie in the workspace", () => {
  const dir = temporary();
  write(dir, { "project/converge.yaml": "", "project/mine.mjs": "", "user.yaml": "" });
  const project = path.join(dir, "project");
  fs.symlinkSync(project, path.join(dir, "alias"));
  const protect = findProtect({
    written: undefined,
    gates: [],
    dir: path.join(dir, "alias"),
    sources: [path.join(project, "converge.yaml"), path.join(dir, "user.yaml")],
    strategy: { type: "custom", module: path.join(dir, "alias/mine.mjs") },
  });
  expect(names(protect)).toEqual(["converge.yaml", "mine.mjs"]);
  expect(protect?.action).toBe("restore");
});

it("nothing is protected when nothing is found", () => {
  expect(found([{ command: "true" }])).toBeUndefined();
});

describe("a strange package.json does no harm", () => {
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
  ])("%.40s", (text) => {
    expect(by("npm test", { "package.json": text })).toContain("package.json#scripts.test");
  });

  it("nor a folder in its place", () => {
    expect(by("npm test", { "package.json/x": "" })).toContain("package.json#scripts.test");
  });
});

describe("what the task file says", () => {
  const TASK = "prompt: x\nagent: claude\ngates: [vitest]\n";
  const read = async (protect: string, files: Files = {}) =>
    (await readYaml(`${TASK}protect: ${protect}\n`, files)).task.protect;

  it("stands instead of what is found", async () => {
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

  it("may say whether new files may come, also about what is found", async () => {
    const protect = await read(
      '[default, {path: "test/**", new: refuse}, {path: "{vitest,vite}.config.*", new: allow}]',
    );
    expect(protect?.paths).toContainEqual({ path: "test/**", grows: false });
    expect(protect?.paths).toContainEqual({ path: "{vitest,vite}.config.*", grows: true });
    expect(protect?.paths.filter(({ path: one }) => one === "{vitest,vite}.config.*")).toHaveLength(1);
  });

  it.each(["off", "false", "[]", "{paths: []}"])("may switch it off: %s", async (written) => {
    expect(await read(written)).toBeUndefined();
  });

  it.each(["on", "{action: fail}", "[default]"])("may leave it to what is found: %s", async (written) => {
    const protect = await read(written);
    expect(names(protect)).toContain("converge.yaml");
    expect(names(protect)).toContain("{vitest,vite}.config.*");
    expect(protect?.action).toBe(written.includes("fail") ? "fail" : "restore");
  });

  it("may name keys with dots, quoted", async () => {
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
    ['["!x"]', "there are no exceptions"],
    ["[a, node_modules/x/**]", "protect[1]: expected a path outside of node_modules"],
    ['["**/.git/config"]', "expected a path outside of .git"],
    ['["a.json#"]', "expected keys after the #"],
    ['["C#/**"]', "a # in a path is written [#]"],
    ['["#a"]', "expected a path before the #"],
    ['[{path: "../x", new: allow}]', "protect[0]: expected a path inside the workspace"],
    ["{paths: [../x]}", "protect.paths[0]: expected a path inside the workspace"],
    ["[{path: a, new: maybe}]", "expected allow or refuse"],
    ["{action: undo}", "expected restore, fail or allow"],
    ["7", "expected a list of paths, off or {paths"],
  ])("is refused where it cannot be meant: %s", async (written, message) => {
    const problems = await problemsIn(`${TASK}protect: ${written}\n`);
    expect(problems.join("\n")).toContain(message);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^converge\.yaml:4:/);
  });
});
