// Splitting a shell command line.
import { expect, test } from "vitest";
import { simpleCommands, withoutRedirections } from "../../../../src/agents/cli/simple-commands.ts";

test.each([
  ["npm test", ["npm test"]],
  ["cd web && npm test || true; echo done", ["cd web", "npm test", "true", "echo done"]],
  ["npm test 2>&1 | tail -5", ["npm test 2>&1", "tail -5"]],
  [`grep "a && b" 'c; d' e\\;f`, [`grep "a && b" 'c; d' e\\;f`]],
  ["echo $(rm a; rm b)", ["echo $(rm a; rm b)"]],
  [" && ;", []],
])("%s", (line, commands) => {
  expect(simpleCommands(line)).toEqual(commands);
});

test.each([
  ["make > out.txt", "make"],
  ["make 2>&1", "make"],
  ["sort < in >> out -u", "sort -u"],
])("%s without redirections", (command, bare) => {
  expect(withoutRedirections(command)).toBe(bare);
});
