// Fuzz tests: readers never throw on garbage, cut lines, wrong types or deep nesting.
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as table from "#agents/cli/table";
import type { Driver } from "#agents/shared/driver";
import { readOut, transcript } from "../../../support/transcripts.ts";

const TABLE: readonly Driver[] = Object.values(table);

const FOLDER = path.resolve(import.meta.dirname, "../../../fixtures/transcripts");

const recorded = ["copilot", "pi"].flatMap((name) =>
  fs
    .readdirSync(path.join(FOLDER, name))
    .flatMap((file) => transcript(name, file.replace(/\.json$/, "")).stdout.split("\n"))
    .filter((line) => line.startsWith("{") && line.length < 5_000),
);
const documented = [
  '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"cmd":"ls"}}],"usage":{"input_tokens":1}}}',
  '{"type":"tool_call","subtype":"completed","tool_call":{"shellToolCall":{"args":{"command":"ls"},"result":{"rejected":{}}}}}',
  '{"type":"result","is_error":true,"error":"no","usage":{"inputTokens":1},"total_cost_usd":1}',
  '{"type":"message","message":{"id":"a","role":"assistant","content":[{"type":"toolRequest","toolCall":{"value":{"name":"x","arguments":{}}}}]}}',
  "Tokens: 1.2k sent, 34 received. Cost: $0.01 message, $0.01 session.",
];

/** Replaces one value anywhere in the object. */
function altered(line: string, place: number, value: unknown): string {
  if (!line.startsWith("{")) return line.slice(place);
  let index = 0;
  return JSON.stringify(JSON.parse(line), (_key, inner) => (index++ === place ? value : inner)) ?? "null";
}

describe.each(TABLE.map((one) => [one.title, one] as const))("the reader of %s accepts", (_, driver) => {
  const reads = (lines: readonly string[]) => {
    const { report, shown } = readOut(driver, lines, { exitCode: 1, stderr: lines.join("\n") });
    expect(typeof report.message).toBe("string");
    for (const count of Object.values(report.usage)) expect(Number.isFinite(count) && count >= 0).toBe(true);
    for (const text of [...shown, ...(report.refused ?? [])]) expect(typeof text).toBe("string");
  };

  it("garbage", () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.json())), reads));
  });

  it("its own lines, cut off or with any value replaced", () => {
    const line = fc.constantFrom(...recorded, ...documented);
    const wrong = fc.oneof(fc.jsonValue(), fc.constantFrom(-1, 1e308, "", [], {}, [[null]]));
    const cut = fc.tuple(line, fc.nat(500)).map(([text, place]) => text.slice(0, place));
    const changed = fc
      .tuple(line, fc.nat(60), wrong)
      .map(([text, place, value]) => altered(text, place, value));
    fc.assert(fc.property(fc.array(fc.oneof(line, cut, changed), { maxLength: 12 }), reads));
  });

  it("deeply nested objects", () => {
    const deep = `${'{"item":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    for (const type of ["assistant", "result", "message", "message_end", "tool.execution_start", "tool_call"])
      reads([deep, `{"type":"${type}","message":${deep},"data":{"arguments":${deep}},"tool_call":${deep}}`]);
  });
});
