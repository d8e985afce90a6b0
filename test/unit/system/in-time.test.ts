import { expect, it } from "vitest";
import { OutOfTimeError, runWithTimeout } from "#system/sync-timeout";

it("returns the result of the work and rethrows its errors", () => {
  expect(runWithTimeout(1_000, () => ({ a: 1 }))).toEqual({ a: 1 });
  expect(() =>
    runWithTimeout(1_000, () => {
      throw new TypeError("wrong");
    }),
  ).toThrow(new TypeError("wrong"));
});

it("interrupts a regular expression that backtracks without end, and works again afterwards", () => {
  const endless = () => /(a+)+$/u.test(`${"a".repeat(60)}!`);
  expect(() => runWithTimeout(50, endless)).toThrow(new OutOfTimeError("took longer than 0.05 s"));
  expect(runWithTimeout(1_000, () => /(a+)+$/u.test("aaa"))).toBe(true);
});
