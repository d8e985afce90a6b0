// Where the plugin looks for the command line, first things first.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { findCommand } from "#hooks/opencode/find-command";
import { temporary, write } from "../../../support/folders.ts";

function programs(...names: string[]): string {
  const dir = path.join(temporary(), "with blanks");
  fs.mkdirSync(dir);
  for (const name of names) fs.writeFileSync(path.join(dir, name), "#!/bin/sh\n", { mode: 0o755 });
  return dir;
}

/** The plugin in a package of this name. */
function packageNamed(name: string): { self: string; bin: string } {
  const root = temporary();
  write(root, {
    "package.json": JSON.stringify({ name }),
    "bin/converge.js": "",
    "dist/opencode/plugin.js": "",
  });
  const self = pathToFileURL(path.join(root, "dist/opencode/plugin.js")).href;
  return { self, bin: path.join(root, "bin/converge.js") };
}

const elsewhere = () => pathToFileURL(path.join(temporary(), "plugin/converge.js")).href;

test("the option comes first, then the variable", () => {
  const PATH = programs("converge", "one", "two");
  const env = { PATH, CONVERGE_COMMAND: "two --fast" };
  const { self } = packageNamed("converge-loop");
  const one = { command: [path.join(PATH, "one"), "a b"] };
  expect(findCommand({ option: ["one", "a b"], env, self })).toEqual(one);
  expect(findCommand({ env, self })).toEqual({ command: [path.join(PATH, "two"), "--fast"] });
  const whole = { PATH: "", CONVERGE_COMMAND: path.join(PATH, "two") };
  expect(findCommand({ env: whole, self })).toEqual({ command: [path.join(PATH, "two")] });
});

test("then its own package, by the Node of the PATH; then the PATH", () => {
  const PATH = programs("node", "converge");
  const { self, bin } = packageNamed("converge-loop");
  expect(findCommand({ env: { PATH }, self })).toEqual({ command: [path.join(PATH, "node"), bin] });
  const onPath = { command: [path.join(PATH, "converge")] };
  expect(findCommand({ env: { PATH }, self: packageNamed("another").self })).toEqual(onPath);
  expect(findCommand({ env: { PATH }, self: elsewhere() })).toEqual(onPath);
});

test.each<[string, unknown, Record<string, string>, RegExp]>([
  ["nothing anywhere", undefined, {}, /not on the PATH; install it with `npm install -g converge-loop`/],
  [
    "an option that is no command",
    3,
    {},
    /the option "command": expected a program and its arguments, got 3/,
  ],
  ["an empty option", [], {}, /expected a program/],
  ["a program that is not there", ["nowhere"], {}, /there is no program nowhere/],
  [
    "a variable that leads nowhere",
    undefined,
    { CONVERGE_COMMAND: "nowhere" },
    /CONVERGE_COMMAND: there is no/,
  ],
])("told in a sentence: %s", (_, option, env, words) => {
  expect(findCommand({ option, env: { PATH: "", ...env }, self: elsewhere() })).toEqual({
    missing: expect.stringMatching(words),
  });
});

test("its own package without Node says what is missing", () => {
  const { self } = packageNamed("converge-loop");
  expect(findCommand({ env: { PATH: programs() }, self })).toEqual({
    missing: expect.stringContaining("needs `node`"),
  });
});
