// Writes, replaces and removes the plugin file in opencode's folders, and never touches other files.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { installOpencode, uninstallOpencode } from "#hooks/install/opencode";
import type { Place } from "#hooks/install/place";
import { UsageError } from "#spec/errors";
import { VERSION } from "#system/version";
import { temporary, write } from "../../support/folders.ts";

function place(scope: Place["scope"], env: Place["env"] = {}) {
  const root = temporary();
  const user = path.join(root, ".config/opencode/plugin/converge.js");
  const project = path.join(root, "project/.opencode/plugin/converge.js");
  return {
    root,
    file: scope === "user" ? user : project,
    where: { scope, dir: path.join(root, "project"), env: { HOME: root, PATH: "", ...env } },
  };
}

const lines = (file: string) => fs.readFileSync(file, "utf8").split("\n");

test("writes the plugin for a user, with its header and the absolute command when converge is not on the PATH", async () => {
  const { file, where } = place("user");
  const { done, notes } = installOpencode(where);
  expect(done).toEqual([`Wrote the plugin for opencode, version ${VERSION}, to ${file}.`]);
  expect(notes.join("\n")).toMatch(
    /`converge` is not on the PATH: the plugin will use \/.*bin\/converge\.js/,
  );
  const [first, second] = lines(file);
  expect(first).toBe(
    `// Written by Converge ${VERSION} as a plugin for opencode. Remove it with: converge hook uninstall opencode --user`,
  );
  expect(second).toMatch(/^const CONVERGE_COMMAND = \["\/.*node.*","\/.*\/bin\/converge\.js"\];$/);
  expect(Object.keys(await import(pathToFileURL(file).href))).toEqual(["ConvergePlugin"]);
});

test("writes no absolute path when converge is on the PATH", () => {
  const programs = temporary();
  fs.writeFileSync(path.join(programs, "converge"), "#!/bin/sh\n", { mode: 0o755 });
  const { file, where } = place("user", { PATH: programs });
  expect(installOpencode(where).notes).toHaveLength(1);
  expect(lines(file)[1]).not.toContain("CONVERGE_COMMAND");
});

test("writes no absolute path into a project and notes that others need converge on the PATH", () => {
  const { file, where } = place("project");
  const { notes } = installOpencode(where);
  expect(lines(file)[0]).toContain("--project");
  expect(lines(file)[1]).not.toContain("CONVERGE_COMMAND");
  expect(notes.join("\n")).toContain("needs `converge` on the PATH");
});

test.each([
  ["XDG_CONFIG_HOME", "settings", "settings/opencode/plugin/converge.js"],
  ["OPENCODE_CONFIG_DIR", "own", "own/plugin/converge.js"],
])("%s sets the user's plugin folder", (variable, folder, expected) => {
  const root = temporary();
  const env = { HOME: root, PATH: "", [variable]: path.join(root, folder) };
  installOpencode({ scope: "user", dir: root, env });
  expect(fs.existsSync(path.join(root, expected))).toBe(true);
});

test("replaces an older version, and keeps an equal one", () => {
  const { file, where } = place("user");
  write(path.dirname(file), {
    "converge.js": "// Written by Converge 0.0.1 as a plugin for opencode.\nold();\n",
  });
  expect(installOpencode(where).done[0]).toMatch(/replacing version 0\.0\.1\.$/);
  expect(lines(file)).not.toContain("old();");
  const before = fs.statSync(file).mtimeMs;
  expect(installOpencode(where).done).toEqual([]);
  expect(fs.statSync(file).mtimeMs).toBe(before);
  expect(fs.readdirSync(path.dirname(file))).toEqual(["converge.js"]);
});

test("neither overwrites nor removes a foreign file", () => {
  const { file, where } = place("user");
  write(path.dirname(file), { "converge.js": "export const Mine = async () => ({});\n" });
  const tries = [() => installOpencode(where), () => uninstallOpencode(where)];
  for (const attempt of tries) expect(attempt).toThrow(UsageError);
  expect(tries[0]).toThrow(/was not written by Converge, so it is not overwritten; move or rename it/);
  expect(lines(file)[0]).toBe("export const Mine = async () => ({});");
});

test("treats a folder of that name as foreign", () => {
  const { file, where } = place("user");
  fs.mkdirSync(file, { recursive: true });
  expect(() => installOpencode(where)).toThrow(/was not written by Converge/);
});

test("uninstalling removes the file and empty folders", () => {
  const { root, file, where } = place("project");
  installOpencode(where);
  expect(uninstallOpencode(where).done[0]).toBe(
    `Removed the plugin for opencode, version ${VERSION}: ${file}.`,
  );
  expect(fs.readdirSync(path.join(root, "project"))).toEqual([]);
  expect(uninstallOpencode(where)).toEqual({ done: [], notes: [] });
});

test("uninstalling keeps folders with other files", () => {
  const { file, where } = place("project");
  write(path.dirname(file), { "other.js": "" });
  installOpencode(where);
  uninstallOpencode(where);
  expect(fs.readdirSync(path.dirname(file))).toEqual(["other.js"]);
});
