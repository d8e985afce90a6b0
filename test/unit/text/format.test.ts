import { describe, expect, it } from "vitest";
import {
  ago,
  amount,
  bytes,
  clock,
  counted,
  duration,
  formatFailing,
  likelihood,
  moment,
  money,
  percent,
  share,
  sparkline,
  testFraction,
  utcMoment,
} from "#text/format";

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
    [86_399_999, "23h 59m"],
    [93_600_000, "1d 02h"],
  ])("writes %d ms as %s", (ms, text) => expect(duration(ms)).toBe(text));
});

describe("points in time", () => {
  const time = "2030-01-02T14:03:00.000";
  const now = Date.parse(time);

  it("uses the local time zone, and UTC for reports", () => {
    expect(clock(time)).toBe("14:03");
    expect(moment(time)).toBe("2030-01-02 14:03");
    expect(utcMoment("2030-01-02T14:03:07.123Z")).toBe("2030-01-02 14:03:07 UTC");
  });

  it.each([
    [59_000, "just now"],
    [180_000, "3m ago"],
    [7_200_000, "2h ago"],
    [86_400_000, "1d ago"],
    [432_000_000, "5d ago"],
  ])("writes %d ms later as %s", (ms, text) => expect(ago(time, now + ms)).toBe(text));

  it("shows an invalid timestamp as an unknown time", () => {
    expect([clock("soon"), moment("soon"), ago("soon", now)]).toEqual([
      "an unknown time",
      "an unknown time",
      "at an unknown time",
    ]);
  });
});

describe("numbers", () => {
  it("writes money with two digits, and a dash for an unknown amount", () => {
    const amounts = [0.42, 0, 0.001, 12, undefined, Number.NaN];
    expect(amounts.map((usd) => money(usd))).toEqual(["$0.42", "$0.00", "<$0.01", "$12.00", "–", "–"]);
  });

  it("shortens counts of tokens", () => {
    const counts = [950, 9_000, 132_400, 999_600, 1_240_000];
    expect(counts.map(amount)).toEqual(["950", "9.0k", "132k", "1.0M", "1.2M"]);
  });

  it("writes sizes in decimal units", () => {
    expect([950, 12_340, 999_960, 1_240_000].map(bytes)).toEqual(["950 B", "12.3 kB", "1.0 MB", "1.2 MB"]);
  });

  it("counts in singular and plural", () => {
    const texts = [counted(1, "file"), counted(0, "file"), counted(2, "process", "processes")];
    expect(texts).toEqual(["1 file", "0 files", "2 processes"]);
  });

  it("leaves skipped tests out of both numbers of a fraction", () => {
    expect(testFraction({ total: 5, passed: 3, failed: 1, skipped: 1 })).toBe("3/4");
  });

  it("compares failing tests with the iteration before", () => {
    expect(formatFailing({ now: 3 })).toBe("3 failing");
    expect(formatFailing({ before: 4, now: 3 })).toBe("4 → 3 failing");
    expect(formatFailing({ before: 3, now: 3 }, "->")).toBe("3 failing, as before");
    expect(formatFailing({ before: 4, now: 3 }, "->")).toBe("4 -> 3 failing");
  });
});

describe("shares", () => {
  it("never rounds a partial share to 100%, nor a positive share to 0%", () => {
    const shares = [1, 0.999, 0.955, 0.29, 0.001, 0];
    expect(shares.map(percent)).toEqual(["100%", "99%", "95%", "29%", "1%", "0%"]);
    expect([1, 0.9999, 0.973, 0.0001, 0].map((each) => share(each))).toEqual([
      "100.0%",
      "99.9%",
      "97.3%",
      "<0.1%",
      "0.0%",
    ]);
    expect(share(undefined)).toBe("–");
  });

  it("gives small probabilities one more digit", () => {
    expect([0.995, 0.37, 0.0427, 0.0001, 0].map(likelihood)).toEqual(["99%", "37%", "4.2%", "<0.1%", "0%"]);
  });
});

describe("sparkline", () => {
  it("keeps the newest scores, on a scale from 0 to 1", () => {
    expect(sparkline([0, 0.5, 1], 8)).toBe("▁▄█");
    expect(sparkline([0, 0.5, 1], 2)).toBe("▄█");
    expect(sparkline([0, 0.5, 1], 0)).toBe("");
  });

  it("draws the full bar only for a score of 1", () => expect(sparkline([0.999], 1)).toBe("▇"));

  it("clamps values outside the scale", () => expect(sparkline([Number.NaN, -1, 7], 8)).toBe("▁▁█"));

  it("draws with the given characters", () => expect(sparkline([0, 0.5, 1], 8, "_=@")).toBe("_=@"));
});
