import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest, unknownName } from "#text/nearest-name";

const KNOWN = ["iterations", "time", "tokens", "max-iterations", "maxAttempts"];

describe("the nearest name", () => {
  it.each([
    ["iteratons", "iterations"],
    ["itme", "time"],
    ["Time", "time"],
    ["max_iterations", "max-iterations"],
    ["max-attempts", "maxAttempts"],
    ["tokenss", "tokens"],
  ])("to %s is %s", (name, expected) => {
    expect(nearest(name, KNOWN)).toBe(expected);
  });

  it.each(["", "x", "cost", "prompt", "t".repeat(10_000)])("to %j is none", (name) => {
    expect(nearest(name, KNOWN)).toBeUndefined();
  });

  it("is the name itself when it exists", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KNOWN), (name) => {
        expect(nearest(name, KNOWN)).toBe(name);
      }),
    );
  });

  it("is part of the message, which stays short and free of control characters", () => {
    expect(unknownName("key", { name: "tme", where: "limits" }, KNOWN.slice(0, 2))).toBe(
      'unknown key "tme" in limits; did you mean "time"? (known: iterations, time)',
    );
    expect(unknownName("key", `\u001b[31m${"x".repeat(500)}`, [])).toBe(
      `unknown key "${"x".repeat(64)} [… 436 characters left out]" (there are none)`,
    );
  });
});
