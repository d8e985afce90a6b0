import { expect, test } from "vitest";
import type { IterationRow, Overview, Span } from "#spec/overview";
import { lastKnown, merge } from "../../../dashboard/src/live/merge.ts";

const row = (number: number, score: number) => ({ number, score }) as IterationRow;
const span = (iteration: number, to: string) => ({ iteration, kind: "agent", from: "a", to }) as Span;

const overview = (seq: number, rows: IterationRow[], spans: Span[] = []): Overview =>
  ({ seq, rows, spans, state: `state ${seq}` }) as unknown as Overview;

test("replaces the last known iteration and appends newer ones", () => {
  const known = overview(5, [row(0, 0), row(1, 0.2), row(2, 0.3)], [span(1, "x"), span(2, "y")]);
  const next = overview(9, [row(2, 0.5), row(3, 0.9)], [span(2, "z"), span(3, "w")]);
  const merged = merge(known, next, lastKnown(known));
  expect(merged.rows.map(({ number, score }) => [number, score])).toEqual([
    [0, 0],
    [1, 0.2],
    [2, 0.5],
    [3, 0.9],
  ]);
  expect(merged.spans.map(({ iteration, to }) => [iteration, to])).toEqual([
    [1, "x"],
    [2, "z"],
    [3, "w"],
  ]);
  expect([merged.seq, merged.state]).toEqual([9, "state 9"]);
});

test("ignores a stale response", () => {
  const known = overview(9, [row(1, 0.9)]);
  expect(merge(known, overview(5, [row(1, 0.1)]), 1)).toBe(known);
});

test("requests all iterations while no row is known", () => {
  expect(lastKnown(overview(1, []))).toBe(0);
  expect(merge(overview(1, []), overview(2, [row(0, 0.5)]), 0).rows).toHaveLength(1);
});
