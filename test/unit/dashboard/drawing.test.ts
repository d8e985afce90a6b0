import { expect, test } from "vitest";
import type { GateCell, IterationRow, Span } from "#spec/overview";
import { sparkPoints } from "../../../dashboard/src/parts/spark-points.ts";
import { linesOf, thinned } from "../../../dashboard/src/run/curve/series.ts";
import { windowOf } from "../../../dashboard/src/run/matrix/window.ts";
import { offered } from "../../../dashboard/src/run/offered.ts";
import { barsOf } from "../../../dashboard/src/run/timeline/bars.ts";
import { placed, spanAt, totals, wholeOf } from "../../../dashboard/src/run/timeline/spans.ts";
import { moved, zoomed } from "../../../dashboard/src/run/timeline/stretch.ts";

const cell = (gate: string, status: GateCell["status"], score: number) =>
  ({ gate, status, score }) as GateCell;
const row = (number: number, score: number | undefined, gates: GateCell[]) =>
  ({ number, ...(score !== undefined && { score }), gates }) as unknown as IterationRow;

test("an iteration without a gate's verdict leaves a gap in its line", () => {
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

test("thinning keeps the first and the last value", () => {
  const values = Array.from({ length: 20_000 }, (_, at) => at);
  const few = thinned(values, 200);
  expect([few.length, few[0], few.at(-1)]).toEqual([200, 0, 19_999]);
  expect(thinned([1, 2], 200)).toEqual([1, 2]);
});

test("a sparkline runs from left to right and stays within its box", () => {
  expect(sparkPoints([0, 2, -1], 106, 26)).toEqual([
    [3, 23],
    [53, 3],
    [103, 23],
  ]);
  expect(sparkPoints([], 100, 20)).toEqual([]);
});

test("the matrix draws only the visible columns of 20,000", () => {
  const { from, to } = windowOf({ scroll: 10_000 * 76, width: 760, column: 76, columns: 20_000 });
  expect(from).toBeLessThanOrEqual(10_000);
  expect(to).toBeGreaterThanOrEqual(10_010);
  expect(to - from).toBeLessThan(30);
  expect(windowOf({ scroll: 0, width: 760, column: 76, columns: 3 })).toEqual({ from: 0, to: 3 });
  expect(windowOf({ scroll: 500, width: 760, column: 76, columns: 0 })).toEqual({ from: 0, to: 0 });
});

const spans: Span[] = [
  { iteration: 0, kind: "gate", gate: "a", from: "2026-01-01T00:00:00.000Z", to: "2026-01-01T00:00:01.000Z" },
  { iteration: 1, kind: "agent", from: "2026-01-01T00:00:01.000Z", to: "2026-01-01T00:00:04.000Z" },
  { iteration: 1, kind: "gate", gate: "a", from: "2026-01-01T00:00:04.000Z" },
];
const start = Date.parse("2026-01-01T00:00:00.000Z");

test("an open span lasts until now, and durations add up by kind", () => {
  const all = placed(spans, start + 6000);
  expect(wholeOf(all)).toEqual({ from: start, to: start + 6000 });
  expect(totals(all)).toEqual([
    ["gate", 3000],
    ["agent", 3000],
  ]);
  expect([0, 999, 1000, 3999, 4000].map((ms) => spanAt(all, start + ms))).toEqual([0, 0, 1, 1, 2]);
});

test("spans that share a pixel merge into one bar of the longest kind, and longer spans keep their own bar", () => {
  const at = (kind: Span["kind"], from: number, to: number) => ({
    span: { iteration: 1, kind, from: "" },
    from,
    to,
  });
  const all = [at("agent", 0, 300), at("gate", 300, 302), at("memory", 302, 308), at("other", 310, 311)];
  expect(barsOf(all, { from: 0, to: 1000 }, 100)).toEqual([
    { kind: "agent", x: 0, width: 30 },
    { kind: "memory", x: 30, width: 1 },
    { kind: "other", x: 31, width: 1 },
  ]);
  const many = Array.from({ length: 100_000 }, (_, from) => at(from % 2 ? "gate" : "agent", from, from + 1));
  expect(barsOf(many, { from: 0, to: 100_000 }, 500)).toHaveLength(500);
});

test("zooming keeps the time under the pointer, and zoom and pan stay within the whole range", () => {
  const whole = { from: 0, to: 1000 };
  expect(zoomed(whole, { factor: 0.5, at: 250 }, whole)).toEqual({ from: 125, to: 625 });
  expect(zoomed({ from: 125, to: 625 }, { factor: 4, at: 250 }, whole)).toEqual(whole);
  expect(moved({ from: 0, to: 500 }, -0.5, whole)).toEqual({ from: 0, to: 500 });
  expect(moved({ from: 0, to: 500 }, 2, whole)).toEqual({ from: 500, to: 1000 });
});

test("the iteration picker offers a sample plus all neighbours, so that two choices reach any iteration", () => {
  const few = [3, 2, 1, 0];
  expect(offered(few, 2)).toEqual(few);
  const many = Array.from({ length: 20_001 }, (_, at) => 20_000 - at);
  const first = offered(many, 20_000);
  expect(first.length).toBeLessThan(350);
  expect(first).toEqual([...first].sort((one, other) => other - one));
  const target = 12_345;
  const near = first.reduce((one, other) =>
    Math.abs(other - target) < Math.abs(one - target) ? other : one,
  );
  expect(offered(many, near)).toContain(target);
  expect(offered([...many].reverse(), undefined).slice(0, 1)).toEqual([0]);
});
