import { expect, test } from "vitest";
import {
  ago,
  baseName,
  chance,
  count,
  duration,
  money,
  percent,
  standing,
} from "../../../dashboard/src/format.ts";

test("what is not all is never shown as all, nor what is not nothing as nothing", () => {
  expect([1, 0.999, 0.5, 0.001, 0].map(percent)).toEqual(["100 %", "99 %", "50 %", "1 %", "0 %"]);
});

test("small chances keep a tenth of a percent", () => {
  expect([0.5, 0.0123, 0].map(chance)).toEqual(["50 %", "1.2 %", "0 %"]);
});

test("money and counts stay short", () => {
  expect([0, 0.004, 1.239].map(money)).toEqual(["$0.00", "under $0.01", "$1.24"]);
  expect([950, 12_345, 345_678, 2_300_000].map(count)).toEqual(["950", "12.3k", "346k", "2.3M"]);
});

test("durations have at most two units", () => {
  const durations = [40, 2300, 59_400, 61_000, 3_600_000, 90_061_000].map(duration);
  expect(durations).toEqual(["40 ms", "2.3 s", "59 s", "1 min 1 s", "1 h", "1 d 1 h"]);
});

test("how long ago has one unit", () => {
  const now = Date.parse("2026-01-03T12:00:00Z");
  const words = [
    "2026-01-03T11:59:55Z",
    "2026-01-03T11:15:00Z",
    "2026-01-02T10:00:00Z",
    "2025-12-01T12:00:00Z",
  ];
  expect(words.map((time) => ago(time, now))).toEqual(["just now", "45 min ago", "yesterday", "33 days ago"]);
  expect(ago("never", now)).toBe("");
});

test("a folder is known by its last part", () => {
  expect(["/a/shop", "/a/shop/", "/", "C:\\work\\shop"].map(baseName)).toEqual(["shop", "shop", "/", "shop"]);
});

test("shows failing tests where they are counted, else the score", () => {
  expect(standing({ score: 0.998, failing: { before: 4, now: 3 } })).toBe("4 → 3 failing");
  expect(standing({ score: 0.998, failing: { before: 3, now: 3 } })).toBe("3 failing");
  expect(standing({ score: 0.998, failing: { now: 3 } })).toBe("3 failing");
  expect(standing({ score: 0.5 })).toBe("50 %");
  expect(standing({})).toBe("–");
});
