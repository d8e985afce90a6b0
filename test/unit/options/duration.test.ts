import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { duration, durationOrZero, durationText } from "#options/duration";

describe("a duration", () => {
  it.each<[unknown, number]>([
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5s", 1500],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["1h30m", 5_400_000],
    ["1d2h3m4s5ms", 93_784_005],
    [" 5m ", 300_000],
    [90, 90_000],
    [0.5, 500],
    ["90", 90_000],
    ["30d", 2_592_000_000],
  ])("%j is %d ms", (written, expected) => {
    expect(duration.parse(written)).toBe(expected);
  });

  it.each<[unknown, string]>([
    ["five", 'expected a duration like 30s, 5m or 2h, got "five"'],
    ["", 'expected a duration like 30s, 5m or 2h, got ""'],
    ["5 m", 'expected a duration like 30s, 5m or 2h, got "5 m"'],
    ["30m1h", 'expected a duration like 30s, 5m or 2h, got "30m1h"'],
    ["5m5m", 'expected a duration like 30s, 5m or 2h, got "5m5m"'],
    ["1.2.3s", 'expected a duration like 30s, 5m or 2h, got "1.2.3s"'],
    [".", 'expected a duration like 30s, 5m or 2h, got "."'],
    ["5w", 'expected a duration like 30s, 5m or 2h, got "5w"'],
    [null, "expected a duration like 30s, 5m or 2h, got nothing"],
    [Number.NaN, "expected a duration like 30s, 5m or 2h, got NaN"],
    [Number.POSITIVE_INFINITY, "expected a duration like 30s, 5m or 2h, got Infinity"],
    [["5m"], "expected a duration like 30s, 5m or 2h, got a list"],
    ["-5m", 'expected a duration like 30s, 5m or 2h, got "-5m"'],
    [-5, "expected a duration longer than 0, got -5"],
    [0, "expected a duration longer than 0, got 0"],
    ["0s", 'expected a duration longer than 0, got "0s"'],
    [1e-9, "expected a duration longer than 0, got 1e-9"],
    ["31d", 'expected a duration of at most 30 days, got "31d"'],
    [1e300, "expected a duration of at most 30 days, got 1e+300"],
  ])("%j is rejected", (written, message) => {
    const { error } = duration.safeParse(written);
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
  });

  it("may be 0 with durationOrZero, but never negative", () => {
    expect(durationOrZero.parse("0s")).toBe(0);
    expect(durationOrZero.safeParse(-1).success).toBe(false);
  });

  it("is the sum of its parts", () => {
    const part = fc.nat({ max: 59 });
    fc.assert(
      fc.property(fc.nat({ max: 23 }), part, part, (hours, minutes, seconds) => {
        fc.pre(hours + minutes + seconds > 0);
        expect(duration.parse(`${hours}h${minutes}m${seconds}s`)).toBe(
          ((hours * 60 + minutes) * 60 + seconds) * 1000,
        );
      }),
    );
  });
});

it.each([
  [3_600_000, "1h"],
  [5_400_000, "1h30m"],
  [93_784_005, "1d2h3m4s5ms"],
  [0, "0s"],
])("%d ms is written as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
  expect(durationOrZero.parse(text)).toBe(ms);
});
