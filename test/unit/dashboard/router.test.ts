import { expect, test } from "vitest";
import { href, match, placeOf } from "../../../dashboard/src/router.ts";

test("a path fits a pattern part by part, and its parts are decoded", () => {
  expect(match("/", "/")).toEqual({});
  expect(match("/runs/:id", "/runs/ab%2Fc")).toEqual({ id: "ab/c" });
  expect(match("/runs/:id", "/runs/abc/")).toEqual({ id: "abc" });
  expect(match("/runs/:id", "/runs/abc/diff")).toBeUndefined();
  expect(match("/runs/:id", "/model/abc")).toBeUndefined();
});

test("an address that cannot be decoded is no place, and no error", () => {
  expect(match("/runs/:id", "/runs/%E0%A4%A")).toBeUndefined();
});

test("the fragment is path and search; anything else is the beginning", () => {
  const { path, query } = placeOf("#/runs/abc?i=3&gate=a%20b");
  expect([path, query.get("i"), query.get("gate")]).toEqual(["/runs/abc", "3", "a b"]);
  expect(placeOf("").path).toBe("/");
  expect(placeOf("#main").path).toBe("/");
});

test("what is put into an address comes out of it again", () => {
  const id = "a/b?c#d";
  expect(match("/runs/:id", placeOf(href("runs", id)).path)).toEqual({ id });
});
