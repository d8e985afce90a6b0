import { expect, test } from "vitest";
import type { IterationRow, Overview, Span } from "#spec/overview";
import { lastKnown, merge } from "../../../dashboard/src/live/merge.ts";
import { settled } from "../../../dashboard/src/live/settled.ts";

const row = (number: number, score: number) => ({ number, score }) as IterationRow;
const span = (iteration: number, to: string) => ({ iteration, kind: "agent", from: "a", to }) as Span;

const overview = (seq: number, rows: IterationRow[], spans: Span[] = []): Overview =>
  ({ seq, rows, spans, state: `state ${seq}` }) as unknown as Overview;

test("what is newer replaces the last iteration that was known and adds those behind it", () => {
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

test("an answer that was overtaken changes nothing", () => {
  const known = overview(9, [row(1, 0.9)]);
  expect(merge(known, overview(5, [row(1, 0.1)]), 1)).toBe(known);
});

test("before the first row everything is asked for", () => {
  expect(lastKnown(overview(1, []))).toBe(0);
  expect(merge(overview(1, []), overview(2, [row(0, 0.5)]), 0).rows).toHaveLength(1);
});

test("while gates judge, the score of that iteration is not shown", () => {
  const at = (phase: string) =>
    ({
      ...overview(5, [row(1, 0.4), row(2, 1)]),
      score: 1,
      progress: { iteration: 2, phase: { name: phase } },
    }) as unknown as Overview;
  const judging = settled(at("gate"));
  expect(judging.score).toBe(0.4);
  expect(judging.rows.map(({ score }) => score)).toEqual([0.4, undefined]);
  expect(settled(at("decision")).rows.map(({ score }) => score)).toEqual([0.4, 1]);
});
