import { describe, expect, it } from "vitest";
import { findShellProblems } from "#config/gate-shell";
import { exampleGate } from "#testing/run";

const PATH = process.env.PATH ?? "";
const problemsOf = (command: string, searchPath = PATH) =>
  findShellProblems([{ ...exampleGate("tests"), use: { type: "command", command } }], searchPath);

describe("findShellProblems", () => {
  it.each<[string, RegExp]>([
    ["make test; echo done", /exit code of "make test" is lost, and that of "echo done" counts; write "&&"/],
    ["make test || true", /exit code of "make test" is lost when it fails/],
    ["./check || :", /exit code of ".\/check" is lost/],
    ["npm test\necho done", /exit code of "npm test" is lost/],
    ["cd a; npm run build; npm test", /exit code of "npm run build" is lost/],
    ["npm test &", /runs in the background/],
  ])("warns about %j", (command, words) => {
    const { warnings, refused } = problemsOf(command);
    expect(warnings).toEqual([expect.stringMatching(words)]);
    expect(refused).toEqual([]);
  });

  it.each([
    "npm test",
    "cd a; npm test",
    "export CI=1; npm test",
    "set -e; make test; echo done",
    "make build && make test",
    "test -e a || test -e b",
    "make test | tee log",
    'echo "a; b || true"',
  ])("does not warn about %j", (command) => {
    expect(problemsOf(command)).toEqual({ warnings: [], refused: [] });
  });

  it("rejects a pipe after a test runner when bash is missing, and warns about any other pipe", () => {
    expect(problemsOf("make test | tee log", "/nowhere").refused).toEqual([
      {
        gate: 0,
        message: expect.stringMatching(/^gate "tests": a pipe hides the exit code .*bash is not installed/),
      },
    ]);
    expect(problemsOf("cat x | grep y", "/nowhere")).toEqual({
      refused: [],
      warnings: [expect.stringMatching(/bash is not installed/)],
    });
    expect(problemsOf('grep "a|b" x', "/nowhere")).toEqual({ refused: [], warnings: [] });
  });
});
