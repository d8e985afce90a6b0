import { describe, expect, it } from "vitest";
import { isSuccess } from "#rules/success";
import type { Verdict } from "#spec/verdict";
import { gateConformance } from "#testing/gate";
import { exampleRun } from "#testing/run";
import { folders } from "../../../support/folders.ts";
import { judge, levels, statuses } from "./levels-support.ts";

const THERE = { required: ["a.txt"] };
const tap = (passed: number, failed: readonly string[] = []) =>
  [
    "printf 'TAP version 13\\n",
    `1..${passed + failed.length}\\n`,
    ...Array.from({ length: passed }, (_, index) => `ok ${index + 1} - good ${index}\\n`),
    ...failed.map((name, index) => `not ok ${passed + index + 1} - ${name}\\n`),
    `'; exit ${failed.length > 0 ? 1 : 0}`,
  ].join("");

const ALL = {
  contracts: { required: ["a.txt"] },
  tests: { setup: ["true"], commands: ["test -e tests-pass"] },
  blackBox: [{ name: "answers", command: "cat answer", expect: { stdout: { contains: "yes" } } }],
  sanity: { conflictMarkers: "fail", largeFiles: { action: "warn", limit: 10 } },
};

gateConformance(
  "the levels gate",
  {
    folders,
    passes: () => levels({ contracts: { forbidden: [{ pattern: "x" }] }, tests: { commands: ["true"] } }),
    fails: () => levels({ contracts: THERE, tests: { commands: ["true"] } }),
    errors: () => levels({ tests: { setup: ["no-such-tool-anywhere"], commands: ["true"] } }),
    hangs: () => levels({ blackBox: [{ name: "sleeps", command: "sleep 1000" }] }),
  },
  { describe, it, expect },
);

gateConformance(
  "the levels gate without commands",
  {
    folders,
    passes: () => levels({ contracts: { forbidden: [{ pattern: "x" }] } }),
    fails: () => levels({ contracts: THERE }),
  },
  { describe, it, expect },
);

describe("the order of levels", () => {
  it("stops after a failed level, and the score grows with each level", async () => {
    const files: Record<string, string> = {};
    const scores: number[] = [];
    const seen: [string, number | undefined][] = [];
    for (const [name, text] of [
      ["none", ""],
      ["a.txt", ""],
      ["tests-pass", ""],
      ["answer", "yes\n"],
    ]) {
      files[name as string] = text as string;
      const verdict = await judge(ALL, files);
      scores.push(verdict.score);
      seen.push([verdict.status, verdict.levels]);
    }
    expect(seen).toEqual([
      ["failed", 0],
      ["failed", 1],
      ["failed", 2],
      ["passed", 4],
    ]);
    expect(scores).toEqual([0, 2 / 7, 3 / 7, 1]);
  });

  it("reports each check's result and lists the levels that did not run", async () => {
    const verdict = await judge(ALL, { "a.txt": "" });
    expect(statuses(verdict)).toEqual({
      "L0 required: a.txt": "passed",
      "L1 setup: true": "passed",
      "L1 tests: test -e tests-pass": "failed",
      "L2 answers: exit code": "not-run",
      'L2 answers: stdout contains "yes"': "not-run",
      "L3 large files": "not-run",
      "L3 conflict markers": "not-run",
    });
    expect(verdict.summary).toBe(
      "level 1 (tests) failed: 1 of 2 checks: L1 tests: test -e tests-pass; not run: level 2 (black-box, 2 checks), level 3 (sanity, 2 checks)",
    );
    expect(verdict.failures).toEqual([
      { id: "L1 tests: test -e tests-pass", message: "exit code 1" },
      { message: "not run: level 2 (black-box, 2 checks), level 3 (sanity, 2 checks)" },
    ]);
    expect(verdict.evidence.stdout).toContain("passed: L0 required: a.txt\npassed: L1 setup: true\n");
  });

  it("shows a warning without failing", async () => {
    const verdict = await judge(ALL, { "a.txt": "", "tests-pass": "", answer: "yes, and more of it\n" });
    expect(verdict).toMatchObject({ status: "passed", score: 1, failures: [], levels: 4 });
    expect(statuses(verdict)["L3 large files"]).toBe("warned");
    expect(verdict.summary).toBe(
      "levels 0, 1, 2, 3 passed, 7 checks; 1 warning: L3 large files: answer (answer)",
    );
  });

  it("counts an empty level only below a level that passes", async () => {
    const of = async (options: object) => (await judge(options, { "a.txt": "" })).levels;
    expect(await of({ tests: { commands: ["false"] } })).toBe(0);
    expect(await of({ contracts: THERE, blackBox: [{ name: "no", command: "false" }] })).toBe(1);
    expect(await of({ blackBox: [{ name: "yes", command: "true" }] })).toBe(3);
  });
});

describe("ignorePreexisting with levels", () => {
  const excused = async (options: object) => {
    const verdict = await judge(options);
    const same = { verdicts: [{ gate: "tests", verdict }] };
    const run = exampleRun([same], { baseline: same, task: { ignorePreexisting: true } });
    expect(verdict.status).toBe("failed");
    return run.iterations[0] && isSuccess(run, run.iterations[0]);
  };

  it("excuses tests of the last level by their names", async () => {
    expect(await excused({ tests: { commands: [tap(1, ["old"])] } })).toBe(true);
  });

  it("does not excuse tests when later levels did not run", async () => {
    const commands = [tap(1, ["old"])];
    expect(await excused({ tests: { commands }, sanity: { conflictMarkers: "fail" } })).toBe(false);
  });

  it("does not excuse tests when another command failed too", async () => {
    expect(await excused({ tests: { commands: [tap(1, ["old"]), "false"] } })).toBe(false);
  });
});

describe("level 1", () => {
  it("runs all commands even if one fails, and prefixes test ids with the command", async () => {
    const verdict = await judge({
      tests: {
        commands: [
          { name: "unit", command: tap(2, ["adds"]) },
          { name: "lint", command: "echo bad; exit 3" },
          { name: "more", command: tap(1, ["adds"]) },
        ],
      },
    });
    expect(statuses(verdict)).toEqual({
      "L1 tests: unit": "failed",
      "L1 tests: lint": "failed",
      "L1 tests: more": "failed",
    });
    expect(verdict.failures).toMatchObject([
      { id: "L1 unit: adds" },
      { id: "L1 tests: lint", message: "exit code 3\nbad" },
      { id: "L1 more: adds" },
    ]);
  });

  it("adds up the test counts of all commands", async () => {
    const verdict = await judge({ tests: { commands: [tap(2), tap(3, ["adds"]), "true"] } });
    expect(verdict.tests).toEqual({ total: 6, passed: 5, failed: 1, skipped: 0 });
    expect(verdict.score).toBe(2 / 3);
  });

  it("is errored when setup fails, and the commands do not run", async () => {
    const verdict = await judge({
      tests: { setup: ["touch first", "echo no network; exit 1", "touch third"], commands: ["true"] },
    });
    expect(verdict).toMatchObject({ status: "errored", score: 1 / 4, levels: 0 });
    expect(statuses(verdict)).toEqual({
      "L1 setup: touch first": "passed",
      "L1 setup: echo no network; exit 1": "errored",
      "L1 setup: touch third": "not-run",
      "L1 tests: true": "not-run",
    });
    expect(verdict.failures[0]).toEqual({
      id: "L1 setup: echo no network; exit 1",
      message: "exit code 1\nno network",
    });
  });

  it.each<[string, object, Verdict["status"], string]>([
    ["a missing tool", { command: "no-such-tool-anywhere" }, "errored", "command not found"],
    ["a timeout", { command: "sleep 1000", timeout: "200ms" }, "failed", "timed out after 0.2 s"],
    ["too few tests", { command: tap(2), minTests: 3 }, "failed", "ran 2 tests, expected at least 3"],
    ["another exit code", { command: "exit 0", exitCode: 4 }, "failed", "exit code 0, expected 4"],
  ])("judges as the command gate does: %s", async (_, command, status, message) => {
    const verdict = await judge({ tests: { commands: [command] } });
    expect(verdict.status).toBe(status);
    expect(verdict.failures[0]?.message).toContain(message);
  });

  it("gives its commands the environment of the request plus their own variables", async () => {
    const { PATH = "" } = process.env;
    const commands = [{ command: 'test "$HOME$GIVEN$OWN" = given-own', env: { OWN: "-own" } }];
    const verdict = await judge({ tests: { commands } }, {}, { env: { PATH, GIVEN: "given" } });
    expect(verdict.status).toBe("passed");
  });
});
