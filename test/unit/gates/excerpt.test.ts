import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { excerptOf } from "#gates/excerpt";
import { mostTellingLine } from "#text/error-lines";

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/output/${name}.txt`, import.meta.url), "utf8");

describe("the excerpt of output that no parser recognises", () => {
  it.each([
    ["make-check", "FAIL 1900: want no, got yes"],
    ["make-check-de", "FAIL 1900: want no, got yes"],
    ["make-check-ja", "FAIL 1900: want no, got yes"],
    ["make-norule", "make: *** No rule to make target 'tset'.  Stop."],
    ["make-recursive", "sub.txt differs: expected 3, got 4"],
    ["make-recursive-ja", "sub.txt differs: expected 3, got 4"],
    ["make-recursive-de", "sub.txt differs: expected 3, got 4"],
    ["npm-missing", 'npm error Missing script: "tset"'],
    ["npm-script", "case 3: expected 4, got 5"],
    ["npm-workspaces", "want 1, got 2"],
    ["composer", "case 3: expected 4, got 5"],
    ["pnpm", "case 3: expected 4, got 5"],
    ["pnpm-missing", "Missing script: tset"],
    ["pnpm-recursive", "want 1, got 2"],
    ["yarn", "case 3: expected 4, got 5"],
    ["yarn-missing", 'error Command "tset" not found.'],
    ["rake-minitest", "1) Failure:"],
    ["rake-own", "boom"],
  ])("of %s has the error and no output of the build tool", (name, line) => {
    const excerpt = excerptOf(fixture(name), "", 4_000);
    expect(excerpt).toContain(line);
    expect(excerpt).not.toMatch(
      /A complete log|npm warn|npm error (?:code|path|command)|Entering directory|wird betreten|に入ります|\*\*\* \[|ELIFECYCLE|info Visit|Command failed|Tasks: TOP|See full trace|rake aborted|handling the test event/,
    );
  });

  it("finds the most informative line", () => {
    expect(mostTellingLine(fixture("make-check"))).toBe("FAIL 1900: want no, got yes");
    expect(mostTellingLine(fixture("npm-missing"))).toBe('npm error Missing script: "tset"');
    expect(mostTellingLine(fixture("rake-minitest"))).toBe("1) Failure:");
    expect(mostTellingLine(fixture("rake-own"))).toBe("boom");
    expect(mostTellingLine("one\ntwo\n\n")).toBe("two");
    expect(mostTellingLine("make: *** [Makefile:6: test] Error 1")).toBe("");
  });

  const chatter = (lines: number) => Array.from({ length: lines }, (_, at) => `step ${at} done`).join("\n");

  it("starts with the first error and its context lines", () => {
    const excerpt = excerptOf(`${chatter(50)}\nFAIL one: no\n${chatter(3)}\nFAIL two: no`, "", 4_000);
    expect(excerpt).toMatch(/^step 48 done\nstep 49 done\nFAIL one: no\nstep 0 done/);
    expect(excerpt).toMatch(/FAIL two: no$/);
  });

  it("keeps all errors and the end when the output is too long", () => {
    const parts = [1, 2, 3].map((at) => `FAIL case ${at}: wrong\n${chatter(200)}`);
    const excerpt = excerptOf(`${parts.join("\n")}\n3 cases done`, "", 2_000);
    expect(excerpt).toMatch(/^FAIL case 1: wrong\n/);
    for (const at of [2, 3]) expect(excerpt).toContain(`\nFAIL case ${at}: wrong\n`);
    expect(excerpt).toMatch(/3 cases done$/);
    expect(excerpt.length).toBeLessThan(2_100);
  });

  it("keeps the first errors when there are too many", () => {
    const many = Array.from({ length: 400 }, (_, at) => `FAIL case ${at}: wrong`).join("\n");
    const excerpt = excerptOf(many, "", 1_000);
    expect(excerpt).toMatch(/^FAIL case 0: wrong\nFAIL case 1: wrong\n/);
    expect(excerpt).toMatch(/FAIL case 399: wrong$/);
    expect(excerpt.length).toBeLessThan(1_100);
  });

  it("puts the stream with errors first", () => {
    expect(excerptOf("building", "fatal: broken", 4_000)).toBe("fatal: broken\nbuilding");
    expect(excerptOf("fatal: broken", "note: slow disk", 4_000)).toBe("fatal: broken\nnote: slow disk");
    expect(excerptOf("one", "two", 4_000)).toBe("one\ntwo");
  });

  it("keeps the errors when the other stream is long", () => {
    const excerpt = excerptOf(chatter(5_000), `cannot link\n${"x".repeat(1_500)}`, 2_000);
    expect(excerpt).toMatch(/^cannot link\nx{1000}/);
    expect(excerpt).toMatch(/step 4999 done$/);
    expect(excerpt.length).toBeLessThan(2_100);
  });

  it("shows the end when no line looks like an error", () => {
    expect(excerptOf(chatter(1_000), "", 500)).toMatch(
      /^\[… \d+ characters left out\]\n[\s\S]*step 999 done$/,
    );
  });
});
