import { expect, test } from "vitest";
import { href, match, placeOf } from "../../../dashboard/src/router.ts";

test("matches a path segment by segment and decodes its parameters", () => {
  expect(match("/", "/")).toEqual({});
  expect(match("/runs/:id", "/runs/ab%2Fc")).toEqual({ id: "ab/c" });
  expect(match("/runs/:id", "/runs/abc/")).toEqual({ id: "abc" });
  expect(match("/runs/:id", "/runs/abc/diff")).toBeUndefined();
  expect(match("/runs/:id", "/model/abc")).toBeUndefined();
});

test("does not match a path that cannot be decoded", () => {
  expect(match("/runs/:id", "/runs/%E0%A4%A")).toBeUndefined();
});

test("parses path and query of the fragment, and falls back to the root", () => {
  const { path, query } = placeOf("#/runs/abc?i=3&gate=a%20b");
  expect([path, query.get("i"), query.get("gate")]).toEqual(["/runs/abc", "3", "a b"]);
  expect(placeOf("").path).toBe("/");
  expect(placeOf("#main").path).toBe("/");
});

test("restores a parameter from the link that contains it", () => {
  const id = "a/b?c#d";
  expect(match("/runs/:id", placeOf(href("runs", id)).path)).toEqual({ id });
});
