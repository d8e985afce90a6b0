// Protects parts of files the agent may otherwise edit: a test runner's sections of a manifest, tests in source files.
import type { FilePart, Protection } from "#spec/task";
import { readPieces } from "./parts/parts.ts";
import type { BaseFiles } from "./shared/files.ts";
import { literal } from "./shared/glob.ts";

interface PartRule {
  readonly path: string;
  readonly part: FilePart;
  readonly reason: string;
  /** False when the part must not appear in a new file either. */
  readonly grows: boolean;
}

const CMAKE =
  "enable_testing,add_test,add_subdirectory,add_custom_target,set_tests_properties,set_property,gtest_discover_tests,catch_discover_tests,doctest_discover_tests";

const manifest = (path: string, part: FilePart, tool: string): PartRule => ({
  path,
  part,
  reason: `settings of ${tool} in a file that is free otherwise`,
  grows: false,
});

const PYTHON: readonly PartRule[] = [
  manifest("**/pyproject.toml", { kind: "toml", name: "tool.pytest" }, "pytest"),
  manifest("**/pyproject.toml", { kind: "toml", name: "tool.tox" }, "tox"),
  manifest("**/pyproject.toml", { kind: "toml", name: "tool.hatch.envs" }, "hatch"),
  manifest("**/pyproject.toml", { kind: "toml", name: "tool.poe.tasks" }, "poe"),
  manifest("**/pyproject.toml", { kind: "toml", name: "tool.pdm.scripts" }, "pdm"),
  manifest("**/setup.cfg", { kind: "ini", name: "tool:pytest" }, "pytest"),
];

const RUST: readonly PartRule[] = [
  manifest("**/Cargo.toml", { kind: "toml", name: "test" }, "cargo test"),
  manifest("**/Cargo.toml", { kind: "toml", name: "lib.test" }, "cargo test"),
  manifest("**/Cargo.toml", { kind: "toml", name: "lib.harness" }, "cargo test"),
];

const RUST_TESTS: PartRule = {
  path: "**/*.rs",
  part: { kind: "rust-tests" },
  reason: "tests inside a source file",
  grows: true,
};

const hasRustTests = (files: BaseFiles): boolean =>
  files.list.some((file) => file.endsWith(".rs") && readPieces(RUST_TESTS.part, files.read(file)).length > 0);

const GO: readonly PartRule[] = [
  {
    path: "**/*_test.go",
    part: { kind: "go-main" },
    reason: "TestMain decides how all tests run",
    grows: false,
  },
];

const BUILD: readonly (readonly [name: RegExp, rule: PartRule])[] = [
  [/(?:^|\/)CMakeLists\.txt$/, manifest("**/CMakeLists.txt", { kind: "calls", name: CMAKE }, "CTest")],
  [
    /(?:^|\/)meson\.build$/,
    manifest("**/meson.build", { kind: "calls", name: "test,benchmark,subdir" }, "Meson"),
  ],
  [/(?:^|\/)pom\.xml$/, manifest("**/pom.xml", { kind: "maven-tests" }, "Maven")],
  [/(?:^|\/)build\.gradle$/, manifest("**/build.gradle", { kind: "gradle-tests" }, "Gradle")],
  [/(?:^|\/)build\.gradle\.kts$/, manifest("**/build.gradle.kts", { kind: "gradle-tests" }, "Gradle")],
];

interface InSource {
  readonly part: FilePart;
  /** Files that may contain such tests. */
  readonly files: RegExp;
  /** When a gate's command or a settings file contains this, the runner collects such tests. */
  readonly switchedOnBy: RegExp;
  readonly settings: RegExp;
}

const IN_SOURCE: readonly InSource[] = [
  {
    part: { kind: "doctests" },
    files: /\.py$/,
    switchedOnBy: /\bdoctest/,
    settings:
      /(?:^|\/)(?:\.?pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|[Mm]akefile|justfile)$/,
  },
  {
    part: { kind: "vitest-blocks" },
    files: /\.[cm]?[jt]sx?$/,
    switchedOnBy: /\bincludeSource\b/,
    settings: /(?:^|\/)(?:vitest|vite)\.config\.\w+$/,
  },
];

const MOST_IN_SOURCE = 300;

/** Protects tests in source files only when the gates run them: otherwise they are documentation. */
function inSourceTests(files: BaseFiles, commands: string): PartRule[] {
  return IN_SOURCE.flatMap(({ part, files: named, switchedOnBy, settings }) => {
    const isOn =
      switchedOnBy.test(commands) ||
      files.list.some((file) => settings.test(file) && switchedOnBy.test(files.read(file)));
    const reason = "tests inside a source file that the gates run";
    const found = isOn
      ? files.list.filter((file) => named.test(file) && readPieces(part, files.read(file)).length > 0)
      : [];
    return found
      .slice(0, MOST_IN_SOURCE)
      .map((file): PartRule => ({ path: literal(file), part, reason, grows: false }));
  });
}

/** Whether the section exists. For pytest, Python tests are enough, because its section must not be added either. */
function isThere(files: BaseFiles, { path, part, reason }: PartRule): boolean {
  const name = path.slice("**/".length);
  const manifests = files.list.filter((file) => file === name || file.endsWith(`/${name}`));
  if (reason.includes("pytest")) return files.list.some((file) => /(?:^|\/)test_[^/]*\.py$/.test(file));
  return manifests.some((file) => readPieces(part, files.read(file)).length > 0);
}

/** `folders` are the patterns of test folders, `commands` the text of the gates' commands. */
export function filePartsIn(
  files: BaseFiles,
  folders: readonly string[],
  commands: string,
): readonly Protection[] {
  const has = (extension: string) => files.list.some((file) => file.endsWith(extension));
  const packages = folders
    .filter((folder) => folder.endsWith("/**"))
    .filter((folder) =>
      files.list.some((file) => file.endsWith(".py") && file.startsWith(folder.slice(0, -2))),
    )
    .map((folder): PartRule => {
      const reason = "tests load it; it may come only empty";
      return { path: `${folder}/__init__.py`, part: { kind: "content" }, reason, grows: false };
    });
  return [
    ...PYTHON.filter((rule) => isThere(files, rule)),
    ...packages,
    ...(has(".rs") ? RUST : []),
    ...(hasRustTests(files) ? [RUST_TESTS] : []),
    ...(has("_test.go") ? GO : []),
    ...inSourceTests(files, commands),
    ...BUILD.flatMap(([name, rule]) => (files.list.some((file) => name.test(file)) ? [rule] : [])),
  ];
}
