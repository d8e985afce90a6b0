// Parsing of recorded output of Copilot CLI, pi and Amp.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as table from "#agents/cli/table";
import { classify } from "#agents/shared/classify-failure";
import type { Ask, Driver } from "#agents/shared/driver";
import { temporary } from "../../../support/folders.ts";
import { ASK, readTranscript, transcript } from "../../../support/transcripts.ts";

const TABLE: readonly Driver[] = Object.values(table);

const session = expect.stringMatching(/^[0-9a-f-]{36}$/);
const SERVED = { model: "scripted-model", sessionId: session };

const driver = (name: string) => TABLE.find((one) => one.name === name) as Driver;

/** Reads the recording with the usage file of Copilot CLI. */
function read(name: string, scenario: string, ask: Partial<Ask> = {}) {
  const reports = temporary();
  const file = path.resolve(import.meta.dirname, "../../../fixtures/transcripts", name, `${scenario}.json`);
  const { usage } = JSON.parse(fs.readFileSync(file, "utf8"));
  if (usage) fs.writeFileSync(path.join(reports, "usage.json"), JSON.stringify(usage, null, 2));
  return readTranscript(driver(name), scenario, { ...ASK, reports, ...ask });
}

describe("Copilot CLI", () => {
  it("reports a fix", () => {
    const { shown, report } = read("copilot", "fixes");
    expect(shown).toEqual([
      "I run the tests first.",
      "> bash node --test",
      "Now the file.",
      "> bash echo 'module.exports = 1' > a.js && node --test",
      "All tests pass.",
    ]);
    expect(report).toEqual({
      message: "All tests pass.",
      usage: { inputTokens: 4000, outputTokens: 70, cachedTokens: 500 },
      model: "gpt-4.1",
      sessionId: session,
    });
  });

  it("reports the usage of the whole resumed session", () => {
    const { report } = read("copilot", "resumed", { session: "00000000-0000-4000-8000-000000000001" });
    const usage = { inputTokens: 5000, outputTokens: 90, cachedTokens: 500 };
    expect(report).toEqual({ message: "Still passing.", usage, model: "gpt-4.1", sessionId: session });
  });

  it("reports a refused command", () => {
    expect(read("copilot", "refused").report).toMatchObject({
      message: "I could not.",
      refused: [
        'Copilot CLI was not allowed to run: curl http://127.0.0.1:9; allow it with "allow: ["curl http://127.0.0.1:9"]" or "permissions: all" with "isolation: strict"',
      ],
    });
  });

  it("reports a read-only answer", () => {
    expect(read("copilot", "reads").report).toMatchObject({ message: "Looks fine." });
  });

  it("reports no usage without a usage file", () => {
    expect(readTranscript(driver("copilot"), "fixes").report.usage).toEqual({});
  });

  it.each([
    ["wrong-key", { failure: "blocked", blockedBy: "login" }],
    ["rate-limited", { failure: "rate-limited", retryAfterMs: 7400 }],
    ["overloaded", { failure: "rate-limited" }],
    ["quota", { failure: "blocked", blockedBy: "quota" }],
    ["context-too-long", { failure: "context-too-long" }],
  ])("%s", (scenario, expected) => {
    const { failed } = read("copilot", scenario).report;
    expect(failed).toEqual({ ...expected, reason: expect.any(String) });
  });
});

describe("pi", () => {
  it("reports a fix", () => {
    const { shown, report } = read("pi", "fixes");
    expect(shown).toEqual([
      "I run the tests first.",
      "> bash node --test",
      "> bash exit 3",
      "All tests pass.",
    ]);
    expect(report).toEqual({
      message: "All tests pass.",
      usage: { inputTokens: 4000, outputTokens: 70, cachedTokens: 500, costUsd: 0.00369 },
      ...SERVED,
    });
  });

  it.each([
    ["resumed", "Still passing."],
    ["reads", "Looks fine."],
    ["tried-again", "All tests pass."],
  ])("%s", (scenario, message) => {
    const { report } = read("pi", scenario);
    expect(report).toEqual({
      message,
      usage: { inputTokens: 1000, outputTokens: 20, cachedTokens: 0, costUsd: expect.closeTo(0.00104) },
      ...SERVED,
    });
  });

  it.each([
    ["wrong-key", { failure: "blocked", blockedBy: "login" }],
    ["rate-limited", { failure: "rate-limited", retryAfterMs: 7400 }],
    ["overloaded", { failure: "rate-limited" }],
    ["quota", { failure: "blocked", blockedBy: "quota" }],
    ["context-too-long", { failure: "context-too-long" }],
  ])("%s, although it exits with 0", (scenario, expected) => {
    const { report } = read("pi", scenario);
    expect(report).toEqual({
      message: "",
      usage: {},
      failed: { ...expected, reason: expect.any(String) },
      ...SERVED,
    });
  });
});

it.each(["copilot", "pi"])("%s reports a missing login on standard error", (name) => {
  const { stderr } = transcript(name, "not-logged-in");
  expect(classify(stderr, new Date())).toMatchObject({ failure: "blocked", blockedBy: "login" });
});

describe("Amp", () => {
  it("reports a missing login among its JSON lines", () => {
    const { report } = read("amp", "not-logged-in");
    expect(report.failed).toMatchObject({ failure: "blocked", blockedBy: "login" });
  });

  it("reports an unreachable service by exit code and last message", () => {
    expect(read("amp", "unreachable").report).toEqual({ message: "", usage: {} });
  });
});
