// Checks the lookup order of the converge command.
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

/** Creates a package of this name with the plugin in it. */
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

test("prefers the option, then the variable", () => {
  const PATH = programs("converge", "one", "two");
  const env = { PATH, CONVERGE_COMMAND: "two --fast" };
  const { self } = packageNamed("converge-loop");
  const one = { command: [path.join(PATH, "one"), "a b"] };
  expect(findCommand({ option: ["one", "a b"], env, self })).toEqual(one);
  expect(findCommand({ env, self })).toEqual({ command: [path.join(PATH, "two"), "--fast"] });
  const whole = { PATH: "", CONVERGE_COMMAND: path.join(PATH, "two") };
  expect(findCommand({ env: whole, self })).toEqual({ command: [path.join(PATH, "two")] });
});

test("falls back to its own package with Node from the PATH, then to converge on the PATH", () => {
  const PATH = programs("node", "converge");
  const { self, bin } = packageNamed("converge-loop");
  expect(findCommand({ env: { PATH }, self })).toEqual({ command: [path.join(PATH, "node"), bin] });
  const onPath = { command: [path.join(PATH, "converge")] };
  expect(findCommand({ env: { PATH }, self: packageNamed("another").self })).toEqual(onPath);
  expect(findCommand({ env: { PATH }, self: elsewhere() })).toEqual(onPath);
});

test.each<[string, unknown, Record<string, string>, RegExp]>([
  ["nothing anywhere", undefined, {}, /not on the PATH; install it with `npm install -g converge-loop`/],
  ["an invalid option", 3, {}, /the option "command": expected a program and its arguments, got 3/],
  ["an empty option", [], {}, /expected a program/],
  ["a missing program", ["nowhere"], {}, /program nowhere not found/],
  [
    "a variable with a missing program",
    undefined,
    { CONVERGE_COMMAND: "nowhere" },
    /CONVERGE_COMMAND: program nowhere not found/,
  ],
])("reports a missing command: %s", (_, option, env, words) => {
  expect(findCommand({ option, env: { PATH: "", ...env }, self: elsewhere() })).toEqual({
    missing: expect.stringMatching(words),
  });
});

test("reports that its own package needs Node", () => {
  const { self } = packageNamed("converge-loop");
  expect(findCommand({ env: { PATH: programs() }, self })).toEqual({
    missing: expect.stringContaining("needs `node`"),
  });
});
