import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  commandsIn,
  plainWords,
  quoteWord,
  readShellList,
  splitCommands,
  withoutRedirections,
} from "#system/shell";

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

describe("plainWords splits a command that needs no shell", () => {
  it.each([
    ["./agent.sh", ["./agent.sh"]],
    ["npm test", ["npm", "test"]],
    ["node  --test --test-reporter=tap", ["node", "--test", "--test-reporter=tap"]],
    ["python3 -m pytest tests/a_test.py::test_b", ["python3", "-m", "pytest", "tests/a_test.py::test_b"]],
  ])("%s", (command, words) => {
    expect(plainWords(command)).toEqual(words);
  });
});

describe("plainWords rejects a command that needs a shell", () => {
  it.each([
    "",
    " npm test",
    "npm test ",
    "npm test; true",
    "npm test && npm run lint",
    "echo $HOME",
    "ls *.js",
    "cat < file",
    "a | b",
    "a & b",
    "echo 'a b'",
    'say "x"',
    "echo `date`",
    "a\nb",
    "a\tb",
    "~/bin/agent",
    "CI=1 npm test",
    "cd packages",
    "exit 3",
    "test -f done",
    "[ -f done ]",
    "true",
    ": nothing",
    ". ./env.sh",
    "! grep x",
    "{ a; }",
    "if a",
    "time npm test",
    "a # comment",
    "a \\ b",
    "é",
  ])("%j", (command) => {
    expect(plainWords(command)).toBeUndefined();
  });
});

describe("splitCommands", () => {
  it.each([
    ["npm test", ["npm test"]],
    ["cd web && npm test || true; echo done", ["cd web", "npm test", "true", "echo done"]],
    ["npm test 2>&1 | tail -5", ["npm test 2>&1", "tail -5"]],
    ["npm test |& tail -5", ["npm test", "tail -5"]],
    ["npm run serve & npm test", ["npm run serve", "npm test"]],
    ["npm ci\nnpm test\n", ["npm ci", "npm test"]],
    [`grep "a && b" 'c; d' e\\;f`, [`grep "a && b" 'c; d' e\\;f`]],
    ["echo $(rm a; rm b)", ["echo $(rm a; rm b)"]],
    [" && ;", []],
  ])("%s", (line, commands) => {
    expect(splitCommands(line)).toEqual(commands);
  });
});

describe("withoutRedirections", () => {
  it.each([
    ["make > out.txt", "make"],
    ["make 2>&1", "make"],
    ["sort < in >> out -u", "sort -u"],
  ])("%s", (command, bare) => {
    expect(withoutRedirections(command)).toBe(bare);
  });
});

describe("commandsIn", () => {
  it.each<[string, string[][]]>([
    ["npm test", [["npm", "test"]]],
    ["cd web && npm test|tail", [["cd", "web"], ["npm", "test"], ["tail"]]],
    [`grep 'a; b' "c\\"d" e\\ f`, [["grep", "a; b", 'c"d', "e f"], ["a"], ["b"], ["e", "f"]]],
    ["make test 2>&1", [["make", "test", "2>&1"]]],
    ["a\nb;; (c)", [["a"], ["b"], ["c"]]],
    ["pytest $(cat list) x", [["pytest"], ["cat", "list"], ["x"]]],
    ["echo `date -u`", [["echo"], ["date", "-u"]]],
    ["${HOME}/bin/x", [["${HOME}/bin/x"]]],
    [
      `sh -c "cd a; npm test"`,
      [
        ["sh", "-c", "cd a; npm test"],
        ["cd", "a"],
        ["npm", "test"],
      ],
    ],
    ["echo 'open", [["echo", "open"]]],
    ["", []],
  ])("%s", (command, commands) => {
    expect(commandsIn(command)).toEqual(commands);
  });

  it("takes a list as one program with arguments", () => {
    expect(commandsIn(["sh", "-c", "npm test"])).toEqual([
      ["sh", "-c", "npm test"],
      ["npm", "test"],
    ]);
  });

  it("limits the nesting depth of hostile input", () => {
    expect(commandsIn(`a ${'"'.repeat(1000)} ${"$(".repeat(500)}`).length).toBeLessThan(20);
  });
});

describe("quoteWord", () => {
  it.each([
    "plain/path-1.2:x@y%z+,",
    "",
    "it's",
    "a b",
    "$HOME `id` \\",
    "a=b",
    "two\nlines",
    "日本",
    "~",
    "*",
  ])("passes %j through a shell unchanged", (text) => {
    expect(execFileSync("/bin/sh", ["-c", `printf %s ${quoteWord(text)}`], { encoding: "utf8" })).toBe(text);
  });

  it("leaves a text without special characters as it is", () => {
    expect(quoteWord("a/b-1")).toBe("a/b-1");
  });
});
