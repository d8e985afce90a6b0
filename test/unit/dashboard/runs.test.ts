import { expect, test } from "vitest";
import type { StateWord, Summary } from "#spec/overview";
import { type Filter, joined, needsAsking, type Page, withNews } from "../../../dashboard/src/list/runs.ts";

const ALL: Filter = { states: [], text: "", workspace: "" };
const run = (id: string, startedAt: string, state: StateWord = "running") =>
  ({ id, startedAt, state, workspace: "/w" }) as Summary;
const page = (...runs: Summary[]): Page => ({ runs, total: runs.length });
const ids = ({ runs }: Page) => runs.map(({ id }) => id);

test("updates the row of a listed run in place", () => {
  const before = page(run("b", "2"), run("a", "1"));
  const after = withNews(before, run("a", "1", "converged"), ALL);
  expect(after.runs.map(({ id, state }) => [id, state])).toEqual([
    ["b", "running"],
    ["a", "converged"],
  ]);
  expect(after.total).toBe(2);
});

test("inserts a new run by its start time", () => {
  const after = withNews(page(run("c", "3"), run("a", "1")), run("b", "2"), ALL);
  expect(ids(after)).toEqual(["c", "b", "a"]);
  expect(after.total).toBe(3);
});

test("removes a run that no longer matches the filter, and does not add one that does not match", () => {
  const filter: Filter = { ...ALL, states: ["running"] };
  const after = withNews(page(run("a", "1")), run("a", "1", "converged"), filter);
  expect([ids(after), after.total]).toEqual([[], 0]);
  expect(withNews(after, run("b", "2", "stopped"), filter)).toBe(after);
  expect(withNews(after, run("b", "2"), { ...ALL, workspace: "/other" })).toBe(after);
});

test("leaves a run older than all listed runs to a later page", () => {
  const before: Page = { ...page(run("b", "2")), next: "cursor" };
  expect(withNews(before, run("a", "1"), ALL)).toBe(before);
});

test("needs a server query for a new run when the filter has a search text", () => {
  const filter: Filter = { ...ALL, text: "parser" };
  expect(needsAsking(page(run("a", "1")), run("b", "2"), filter)).toBe(true);
  expect(needsAsking(page(run("a", "1")), run("a", "1"), filter)).toBe(false);
  expect(needsAsking(page(), run("b", "2"), ALL)).toBe(false);
});

test("appends the next page without duplicates", () => {
  const first: Page = { ...page(run("c", "3"), run("b", "2")), next: "x" };
  const after = joined(first, { runs: [run("b", "2"), run("a", "1")], total: 3 });
  expect(ids(after)).toEqual(["c", "b", "a"]);
  expect(after.next).toBeUndefined();
});

test("does not add a run that needs a server query", () => {
  const before = page(run("a", "1"));
  expect(withNews(before, run("b", "2"), { ...ALL, text: "parser" })).toBe(before);
});
