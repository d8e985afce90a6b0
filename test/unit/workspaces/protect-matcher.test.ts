import { expect, it } from "vitest";
import { matcher } from "#workspaces/protect/matcher";

const matcherOf = (path: string) => matcher({ path, grows: false });

it.each([
  ["converge.yaml", ["converge.yaml"], ["a/converge.yaml", "converge.yml"]],
  ["test/**", ["test/a", "test/a/.b", "test/a\nb", "test"], ["tests/a", "src/test/a"]],
  ["test", ["test", "test/a/b"], ["tests"]],
  ["**/conftest.py", ["conftest.py", "a/.b/conftest.py", "conftest.py/x"], ["conftest.pyc"]],
  ["{vitest,vite}.config.*", ["vite.config.mts"], ["a/vite.config.ts"]],
  ["packages/*/jest.config.{js,ts}", ["packages/a/jest.config.ts"], ["packages/a/b/jest.config.ts"]],
  ["{a,b/c}/x", ["b/c/x", "a/x"], ["c/x"]],
  [
    "app/[id]/(group)/a.test.ts",
    ["app/[id]/(group)/a.test.ts", "app/i/(group)/a.test.ts"],
    ["app/id/group/a.test.ts"],
  ],
  ["a\\*b/**", ["a*b/c"], ["axb/c"]],
  ["#1/a|b", ["#1/a|b"], ["#1/a"]],
])("the pattern %s matches the expected paths only", (pattern, inside, outside) => {
  const { matches } = matcherOf(pattern);
  expect(inside.filter((name) => !matches(name))).toEqual([]);
  expect(outside.filter(matches)).toEqual([]);
});

it.each([
  ["converge.yaml", [], ["src", "test"]],
  ["vitest.config.*", [], ["src"]],
  ["test/unit/**", ["test", "test/unit", "test/unit/a/b"], ["src", "test/other", "tests"]],
  ["packages/*/test/**", ["packages", "packages/a", "packages/a/test/b"], ["src", "packages/a/src"]],
  ["**/conftest.py", ["src", "a/b"], []],
  ["{a,b/c}/x", ["a", "b", "b/c"], []],
  ["app/[id]/x", ["app", "app/[id]"], ["app/other"]],
])("the pattern %s reaches only folders that can contain a match", (pattern, inside, outside) => {
  const { reaches } = matcherOf(pattern);
  expect(inside.filter((name) => !reaches(name))).toEqual([]);
  expect(outside.filter(reaches)).toEqual([]);
});
