import { describe, expect, it } from "vitest";
import { rowsWith, split, step } from "../../../dashboard/src/log/find.ts";
import { EMPTY, joined } from "../../../dashboard/src/log/window.ts";

const LAYOUT = { wrap: false, columns: 80 };
const later = joined(EMPTY, { text: "b\nAn Error\nc\nerrors\n", from: 20, to: 40, bytes: 60 }, LAYOUT);
const both = joined(later, { text: "an error\na\n", from: 0, to: 20, bytes: 60 }, LAYOUT);

describe("searching a log", () => {
  it("keeps the key of a match when earlier pieces are loaded", () => {
    expect(rowsWith(later, "ERROR").map(({ at }) => at)).toEqual([1, 3]);
    expect(rowsWith(both, "error").map(({ at }) => at)).toEqual([0, 3, 5]);
    expect(
      rowsWith(both, "error")
        .slice(1)
        .map(({ key }) => key),
    ).toEqual(rowsWith(later, "error").map(({ key }) => key));
    expect(rowsWith(both, "")).toEqual([]);
  });

  it("starts at the visible rows and wraps around", () => {
    const matches = rowsWith(both, "error");
    expect(step(matches, 1, { current: -1, visible: 2 })?.at).toBe(3);
    expect(step(matches, -1, { current: -1, visible: 2 })?.at).toBe(0);
    expect(step(matches, 1, { current: -1, visible: 9 })?.at).toBe(0);
    expect(step(matches, 1, { current: 2, visible: 0 })?.at).toBe(0);
    expect(step(matches, -1, { current: 0, visible: 0 })?.at).toBe(5);
    expect(step([], 1, { current: -1, visible: 0 })).toBeUndefined();
  });

  it("marks every match in a row", () => {
    expect(split("an Error, errors", "error")).toEqual(["an ", "Error", ", ", "error", "s"]);
    expect(split("İi", "i")).toEqual(["İi"]);
    expect(split("none", "error")).toEqual(["none"]);
  });
});
