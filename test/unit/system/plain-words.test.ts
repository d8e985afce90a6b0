import { describe, expect, it } from "vitest";
import { plainWords } from "#system/plain-words";

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
