import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitted, mark, money, pad, sparkline, trend } from "#cli/output/format";
import { ASCII } from "#cli/output/glyphs";
import { width } from "#cli/output/width";

it("uses the glyphs of the style", () => {
  expect(money(undefined, ASCII)).toBe("-");
  expect(sparkline([0, 0.5, 1], 8, ASCII)).toBe("_=@");
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

  it("truncates by width and marks the cut", () => {
    expect(fitted("abcdef", 6)).toBe("abcdef");
    expect(fitted("abcdef", 4)).toBe("abc…");
    expect(fitted("数字数字", 4)).toBe("数…");
    expect(fitted("abcdef", 5, ASCII)).toBe("ab...");
    expect(fitted("abcdef", 1, ASCII)).toBe(".");
    expect(fitted("abcdef", 0)).toBe("");
  });

  it("pads by width", () => expect(`${pad("数", 4)}|`).toBe("数  |"));

  it("never exceeds the width and never truncates text that fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, columns) => {
        const cut = fitted(text, columns);
        expect(width(cut)).toBeLessThanOrEqual(columns);
        if (width(text) <= columns) expect(cut).toBe(text);
      }),
    );
  });
});
