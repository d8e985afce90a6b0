import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ago,
  amount,
  clock,
  counted,
  duration,
  fitted,
  mark,
  moment,
  money,
  pad,
  percent,
  score,
  sparkline,
  testFraction,
  trend,
} from "#cli/output/format";
import { ASCII } from "#cli/output/glyphs";
import { width } from "#cli/output/width";
import { NOW, TIME } from "./samples.ts";

describe("durations", () => {
  it.each([
    [0, "0s"],
    [-5, "0s"],
    [Number.NaN, "0s"],
    [20, "0.1s"],
    [400, "0.4s"],
    [4_999, "4s"],
    [59_999, "59s"],
    [192_000, "3m 12s"],
    [3_599_999, "59m 59s"],
    [7_500_000, "2h 05m"],
    [93_600_000, "26h 00m"],
  ])("%d ms reads %s", (ms, words) => expect(duration(ms)).toBe(words));
});

describe("points in time", () => {
  it("reads the clock where the reader is", () => {
    expect(clock(TIME)).toBe("14:03");
    expect(moment(TIME)).toBe("2030-01-02 14:03");
  });

  it.each([
    [59_000, "just now"],
    [180_000, "3 min ago"],
    [7_200_000, "2 h ago"],
    [86_400_000, "1 day ago"],
    [432_000_000, "5 days ago"],
  ])("%d ms later it was %s", (ms, words) => expect(ago(TIME, NOW + ms)).toBe(words));

  it("says so when a stamp is not a time", () => {
    expect([clock("soon"), moment("soon"), ago("soon", NOW)]).toEqual([
      "an unknown time",
      "an unknown time",
      "at an unknown time",
    ]);
  });
});

describe("numbers", () => {
  it("shows money, and a dash for money nobody counted", () => {
    expect([0.42, 0, 0.001, 12, undefined].map((usd) => money(usd))).toEqual([
      "$0.42",
      "$0.00",
      "<$0.01",
      "$12.00",
      "–",
    ]);
    expect(money(undefined, ASCII)).toBe("-");
  });

  it("shortens amounts", () => {
    expect([950, 9_000, 132_400, 999_600, 1_240_000].map(amount)).toEqual([
      "950",
      "9.0k",
      "132k",
      "1.0M",
      "1.2M",
    ]);
  });

  it("never rounds up to complete", () => {
    expect([percent(0.999), percent(1), percent(0.29)]).toEqual(["99%", "100%", "29%"]);
    expect([score(0.999), score(1), score(0.57)]).toEqual(["0.99", "1.00", "0.57"]);
  });

  it("counts in singular and plural", () => {
    expect([counted(1, "file"), counted(0, "file"), counted(2, "process", "processes")]).toEqual([
      "1 file",
      "0 files",
      "2 processes",
    ]);
  });

  it("shows passed of total tests", () => {
    expect(testFraction({ total: 5, passed: 3, failed: 1, skipped: 1 })).toBe("3/4");
  });
});

describe("the sparkline", () => {
  it("keeps the newest scores, on a scale from 0 to 1", () => {
    expect(sparkline([0, 0.5, 1], 8)).toBe("▁▄█");
    expect(sparkline([0, 0.5, 1], 2)).toBe("▄█");
    expect(sparkline([0, 0.5, 1], 0)).toBe("");
  });

  it("reaches the top only when everything passes", () => {
    expect(sparkline([0.999], 1)).toBe("▇");
  });

  it("survives scores that are none", () => {
    expect(sparkline([Number.NaN, -1, 7], 8)).toBe("▁▁█");
  });

  it("has an ASCII form", () => {
    expect(sparkline([0, 0.5, 1], 8, ASCII)).toBe("_=@");
  });
});

it("has a sign for every status and trend", () => {
  const statuses = ["passed", "failed", "skipped", "waiting", "errored"] as const;
  expect(statuses.map((status) => mark(status)).join("")).toBe("✔✘○…!");
  expect(trend("improving")).toBe("↗ improving");
  expect(trend("regressing", ASCII)).toBe("v regressing");
});

describe("display width", () => {
  it.each([
    ["plain", 5],
    ["数字", 4],
    ["🎉", 2],
    ["e\u0301", 1],
    ["한글", 4],
    ["✔✘○…│█▁⠋", 8],
  ])("%s takes %d columns", (text, columns) => expect(width(text)).toBe(columns));

  it("cuts by width and shows that it cut", () => {
    expect(fitted("abcdef", 6)).toBe("abcdef");
    expect(fitted("abcdef", 4)).toBe("abc…");
    expect(fitted("数字数字", 4)).toBe("数…");
    expect(fitted("abcdef", 5, ASCII)).toBe("ab...");
    expect(fitted("abcdef", 1, ASCII)).toBe(".");
    expect(fitted("abcdef", 0)).toBe("");
  });

  it("pads by width", () => expect(`${pad("数", 4)}|`).toBe("数  |"));

  it("never cuts to more than was asked for, nor loses what fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, columns) => {
        const cut = fitted(text, columns);
        expect(width(cut)).toBeLessThanOrEqual(columns);
        if (width(text) <= columns) expect(cut).toBe(text);
      }),
    );
  });
});
