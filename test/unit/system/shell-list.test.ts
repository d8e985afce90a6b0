import { describe, expect, it } from "vitest";
import { readShellList } from "#system/shell-list";

const stages = (line: string) => readShellList(line).pipelines.map((pipeline) => pipeline.stages);

describe("readShellList", () => {
  it.each<[string, readonly (readonly string[])[]]>([
    ["npm test", [["npm test"]]],
    ["make test | tee log", [["make test", "tee log"]]],
    [
      "cd a && make 2>&1 | tee log | tail -1; echo done",
      [["cd a"], ["make 2>&1", "tee log", "tail -1"], ["echo done"]],
    ],
    ["a ||\nb", [["a"], ["b"]]],
    ["a |\n b\n", [["a", "b"]]],
    ["make &>log", [["make &>log"]]],
    ["make >|log", [["make >|log"]]],
  ])("splits %j into pipelines", (line, expected) => {
    expect(stages(line)).toEqual(expected);
    expect(readShellList(line).isSimple).toBe(true);
  });

  it.each([
    'grep "a|b" file',
    "grep 'a|b' file",
    "grep a\\|b file",
    'test "$(cat x | wc -l)" = 3',
    'test "$(echo ")" | wc -l)" = 3',
    "test `cat x | wc -l` = 3",
    "a || b",
    "echo ${a:-x|y}",
  ])("finds no pipe in %j", (line) => {
    expect(readShellList(line)).toMatchObject({ hasPipe: false, isSimple: true });
  });

  it.each([
    "(make test | tee log)",
    "if a | b; then c; fi",
    "{ a; b; } | c",
    "a |& b",
    "! a | b",
    "a | b # c",
  ])("finds the pipe in %j and reports that the line is not simple", (line) => {
    expect(readShellList(line)).toMatchObject({ hasPipe: true, isSimple: false });
  });

  it("returns the operators, including a trailing one", () => {
    const { pipelines, trailing } = readShellList("a && b || c; d &");
    expect(pipelines.map(({ operator }) => operator)).toEqual([undefined, "&&", "||", ";"]);
    expect(trailing).toBe("&");
  });
});
