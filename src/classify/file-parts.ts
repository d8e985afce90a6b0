// Parts of files that are otherwise free: the runner's sections of a manifest, and tests inside source files.
import type { FilePart, Protection } from "#spec/task";
import { readPieces } from "./parts/parts.ts";
import type { BaseFiles } from "./shared/files.ts";

interface PartRule {
  readonly path: string;
  readonly part: FilePart;
  readonly reason: string;
  /** New files are compared as well: the section may not appear in one. */
  readonly grows: boolean;
}

const CMAKE =
  "enable_testing,add_test,add_subdirectory,add_custom_target,set_tests_properties,set_property,gtest_discover_tests,catch_discover_tests,doctest_discover_tests";
const GRADLE = "test,tasks.test,tasks.withType<Test>,tasks.withType,tasks.named,tasks.named<Test>";

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
  { path: "**/*.rs", part: { kind: "rust-tests" }, reason: "tests inside a source file", grows: true },
];

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
  [/(?:^|\/)build\.gradle$/, manifest("**/build.gradle", { kind: "calls", name: GRADLE }, "Gradle")],
  [/(?:^|\/)build\.gradle\.kts$/, manifest("**/build.gradle.kts", { kind: "calls", name: GRADLE }, "Gradle")],
];

/** pytest's settings may not appear anywhere; the others are looked at where they are. */
function isThere(files: BaseFiles, { path, part, reason }: PartRule): boolean {
  const name = path.slice("**/".length);
  const manifests = files.list.filter((file) => file === name || file.endsWith(`/${name}`));
  if (reason.includes("pytest")) return files.list.some((file) => /(?:^|\/)test_[^/]*\.py$/.test(file));
  return manifests.some((file) => readPieces(part, files.read(file)).length > 0);
}

/** `folders` are the patterns of the folders of tests. */
export function filePartsIn(files: BaseFiles, folders: readonly string[]): readonly Protection[] {
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
    ...(has("_test.go") ? GO : []),
    ...BUILD.flatMap(([name, rule]) => (files.list.some((file) => name.test(file)) ? [rule] : [])),
  ];
}
