import { expect, it } from "vitest";
import { isObject } from "#text/json";

it.each([
  [{}, true],
  [{ a: 1 }, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  [undefined, false],
  ["text", false],
  [1, false],
  [() => {}, false],
])("isObject(%j) is %s", (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
