import { expect, test } from "vitest";
import type { GateCell, IterationRow, Span } from "#spec/overview";
import { sparkPoints } from "../../../dashboard/src/parts/spark-points.ts";
import { linesOf, thinned } from "../../../dashboard/src/run/curve/series.ts";
import { windowOf } from "../../../dashboard/src/run/matrix/window.ts";
import { placed, spanAt, totals, wholeOf } from "../../../dashboard/src/run/timeline/spans.ts";
import { moved, zoomed } from "../../../dashboard/src/run/timeline/stretch.ts";

const cell = (gate: string, status: GateCell["status"], score: number) =>
  ({ gate, status, score }) as GateCell;
const row = (number: number, score: number | undefined, gates: GateCell[]) =>
  ({ number, ...(score !== undefined && { score }), gates }) as unknown as IterationRow;

test("a gate that did not judge leaves a gap in its line", () => {
  const rows = [
    row(0, 0.5, [cell("a", "failed", 0.5), cell("b", "skipped", 0)]),
    row(1, 0.7, [cell("b", "passed", 1)]),
    row(2, undefined, []),
  ];
  const { iterations, lines } = linesOf(rows, ["a", "b"]);
  expect(iterations).toEqual([0, 1, 2]);
  expect(lines.map(({ scores }) => scores)).toEqual([
    [0.5, 0.7, null],
    [0.5, null, null],
    [null, 1, null],
  ]);
});

test("thinned values keep the first and the last", () => {
  const values = Array.from({ length: 20_000 }, (_, at) => at);
  const few = thinned(values, 200);
  expect([few.length, few[0], few.at(-1)]).toEqual([200, 0, 19_999]);
  expect(thinned([1, 2], 200)).toEqual([1, 2]);
});

test("a small line runs from left to right and never leaves its box", () => {
  expect(sparkPoints([0, 2, -1], 106, 26)).toEqual([
    [3, 23],
    [53, 3],
    [103, 23],
  ]);
  expect(sparkPoints([], 100, 20)).toEqual([]);
});

test("of twenty thousand columns only those in sight are drawn", () => {
  const { from, to } = windowOf(10_000 * 76, 760, 76, 20_000);
  expect(from).toBeLessThanOrEqual(10_000);
  expect(to).toBeGreaterThanOrEqual(10_010);
  expect(to - from).toBeLessThan(30);
  expect(windowOf(0, 760, 76, 3)).toEqual({ from: 0, to: 3 });
  expect(windowOf(500, 760, 76, 0)).toEqual({ from: 0, to: 0 });
});

const spans: Span[] = [
  { iteration: 0, kind: "gate", gate: "a", from: "2026-01-01T00:00:00.000Z", to: "2026-01-01T00:00:01.000Z" },
  { iteration: 1, kind: "agent", from: "2026-01-01T00:00:01.000Z", to: "2026-01-01T00:00:04.000Z" },
  { iteration: 1, kind: "gate", gate: "a", from: "2026-01-01T00:00:04.000Z" },
];
const start = Date.parse("2026-01-01T00:00:00.000Z");

test("the open phase goes on until now, and times add up by kind", () => {
  const all = placed(spans, start + 6000);
  expect(wholeOf(all)).toEqual({ from: start, to: start + 6000 });
  expect(totals(all)).toEqual([
    ["gate", 3000],
    ["agent", 3000],
  ]);
  expect([0, 999, 1000, 3999, 4000].map((ms) => spanAt(all, start + ms))).toEqual([0, 0, 1, 1, 2]);
});

test("looking closer keeps the moment under the pointer, and nothing leads out of the whole", () => {
  const whole = { from: 0, to: 1000 };
  expect(zoomed(whole, 0.5, 250, whole)).toEqual({ from: 125, to: 625 });
  expect(zoomed({ from: 125, to: 625 }, 4, 250, whole)).toEqual(whole);
  expect(moved({ from: 0, to: 500 }, -0.5, whole)).toEqual({ from: 0, to: 500 });
  expect(moved({ from: 0, to: 500 }, 2, whole)).toEqual({ from: 500, to: 1000 });
});
