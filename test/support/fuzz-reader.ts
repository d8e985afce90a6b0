// Fuzz tests of a driver's output reader: garbage, truncated lines, wrong types, deep nesting.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Driver } from "#agents/shared/driver";
import { readOut, transcript } from "./transcripts.ts";

const SOME = ["fixes", "refused", "rate-limited", "usage-limit"];

function linesOf(driver: Driver): string[] {
  return SOME.flatMap((name) => transcript(driver.name, name).stdout.split("\n")).filter(Boolean);
}

/** Replaces the value at position `at`, anywhere in the object. */
function altered(line: string, at: number, value: unknown): string {
  let seen = 0;
  return JSON.stringify(JSON.parse(line), (_key, inner) => (seen++ === at ? value : inner)) ?? "null";
}

export function neverThrows(driver: Driver): void {
  describe(`${driver.title} may print anything`, () => {
    const reads = (lines: readonly string[]) => {
      const { report, shown } = readOut(driver, lines, { exitCode: 1, stderr: lines.join("\n") });
      expect(typeof report.message).toBe("string");
      for (const count of Object.values(report.usage))
        expect(Number.isFinite(count) && count >= 0).toBe(true);
      for (const text of [...shown, ...(report.refused ?? [])]) expect(typeof text).toBe("string");
    };

    it("garbage", () => {
      fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.json())), reads));
    });

    it("its own lines, cut off or with something else in the place of any value", () => {
      const line = fc.constantFrom(...linesOf(driver));
      const wrong = fc.oneof(fc.jsonValue(), fc.constantFrom(-1, 1e308, "", "\u001b[31m", [], {}, [[null]]));
      const cut = fc.tuple(line, fc.nat(500)).map(([text, at]) => text.slice(0, at));
      const changed = fc.tuple(line, fc.nat(60), wrong).map(([text, at, value]) => altered(text, at, value));
      fc.assert(fc.property(fc.array(fc.oneof(line, cut, changed), { maxLength: 12 }), reads));
    });

    it("objects in objects without end", () => {
      const deep = `${'{"item":'.repeat(50_000)}1${"}".repeat(50_000)}`;
      for (const type of ["assistant", "result", "item.completed", "turn.failed"])
        reads([deep, `{"type":"${type}","message":${deep},"item":${deep},"error":${deep},"usage":${deep}}`]);
    });
  });
}
