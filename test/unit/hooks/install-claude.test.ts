// Installs into Claude Code's settings in a temporary home and project.
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLOCK_CAP, HOOKS } from "#hooks/claude-settings";
import { installClaude, uninstallClaude } from "#hooks/install/claude";
import type { Place } from "#hooks/install/place";
import { temporary, write } from "../../support/folders.ts";

const PROGRAM = path.resolve("bin/converge.js");
const COMMANDS = ["cancel-ralph.md", "ralph-status.md", "ralph.md"];

function world(files: Readonly<Record<string, string>> = {}) {
  const root = temporary();
  write(root, { "home/.keep": "", "project/.keep": "", ...files });
  const env: NodeJS.ProcessEnv = { HOME: path.join(root, "home"), PATH: "/usr/bin" };
  const options: Place = { scope: "project", dir: path.join(root, "project"), env };
  const settings = path.join(options.dir, ".claude", "settings.json");
  return { root, env, options, settings };
}

const json = (file: string) => JSON.parse(fs.readFileSync(file, "utf8"));

/** Reads every file below a folder. */
function filesIn(dir: string): Record<string, string> {
  const names = fs.readdirSync(dir, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => fs.statSync(path.join(dir, name)).isFile());
  return Object.fromEntries(
    files.sort().map((name) => [name, fs.readFileSync(path.join(dir, name), "utf8")]),
  );
}

function errorOf(install: () => unknown): string {
  try {
    install();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it was not refused");
}

describe("converge hook install claude", () => {
  it("writes hooks, the cap and the commands into an empty folder, and reports them", () => {
    const { root, options, settings } = world();
    const { done, notes } = installClaude(options);
    const { hooks, env } = json(settings);
    expect(Object.keys(hooks)).toEqual(Object.keys(HOOKS));
    for (const [event, name] of Object.entries(HOOKS))
      expect(hooks[event]).toEqual([
        {
          hooks: [
            {
              type: "command",
              command: `${process.execPath} ${PROGRAM} hook claude-${name}`,
              timeout: 3_600,
            },
          ],
        },
      ]);
    expect(env).toEqual({ [BLOCK_CAP]: "100" });
    expect(fs.readdirSync(path.join(options.dir, ".claude/commands")).sort()).toEqual(COMMANDS);
    expect(done.join("\n")).toContain(`into ${settings}.`);
    expect(done.join("\n")).toContain(`Set ${BLOCK_CAP} to 100`);
    expect(notes.join("\n")).toContain("on this machine only");
    const before = filesIn(root);
    expect(installClaude(options)).toMatchObject({ done: [] });
    expect(filesIn(root)).toEqual(before);
    uninstallClaude(options);
    expect(filesIn(root)).toEqual({ "home/.keep": "", "project/.keep": "" });
    expect(fs.existsSync(path.join(options.dir, ".claude"))).toBe(false);
  });

  it("writes to the user's settings folder", () => {
    const { root, options, env } = world();
    installClaude({ ...options, scope: "user" });
    expect(json(path.join(root, "home/.claude/settings.json")).hooks.Stop).toHaveLength(1);
    expect(fs.existsSync(path.join(root, "home/.claude/commands/ralph.md"))).toBe(true);
    uninstallClaude({ ...options, scope: "user" });
    const CLAUDE_CONFIG_DIR = path.join(root, "elsewhere");
    const { notes } = installClaude({ ...options, scope: "user", env: { ...env, CLAUDE_CONFIG_DIR } });
    expect(json(path.join(root, "elsewhere/settings.json")).hooks.Stop).toHaveLength(1);
    expect(notes).toEqual([expect.stringContaining("/ralph")]);
  });

  it("uses the name converge when it resolves to this package, but not through npm's temporary PATH", () => {
    const { root, options, env, settings } = world();
    const lasting = path.join(root, "bin");
    const passing = path.join(root, "x/node_modules/.bin");
    for (const dir of [lasting, passing]) {
      fs.mkdirSync(dir, { recursive: true });
      fs.symlinkSync(PROGRAM, path.join(dir, "converge"));
    }
    const installed = (PATH: string) => {
      const { notes } = installClaude({ ...options, env: { ...env, PATH } });
      return [json(settings).hooks.Stop[0].hooks[0].command, notes.length];
    };
    expect(installed(`${passing}:/usr/bin`)).toEqual([`${process.execPath} ${PROGRAM} hook claude-stop`, 2]);
    // Updates an older installation in place.
    expect(installed(`${passing}:${lasting}`)).toEqual(["converge hook claude-stop", 1]);
    expect(Object.values(json(settings).hooks).flat()).toHaveLength(4);
  });

  it("sets the cap from maxIterations, and never lowers it", () => {
    const capAfter = (cap: unknown, maxIterations = 100) => {
      const { options, settings } = world({
        "project/.claude/settings.json": JSON.stringify({ env: { A: "1", [BLOCK_CAP]: cap } }),
      });
      installClaude({ ...options, maxIterations });
      const { env } = json(settings);
      expect(env.A).toBe("1");
      return env[BLOCK_CAP];
    };
    expect([capAfter(undefined, 20), capAfter("8", 20), capAfter("abc"), capAfter(9)]).toEqual([
      "20",
      "20",
      "100",
      "100",
    ]);
    expect([capAfter("200"), capAfter("0"), capAfter("-1"), capAfter(500)]).toEqual(["200", "0", "-1", 500]);
  });

  it("keeps a cap that someone else set, and reports it", () => {
    const { options, settings } = world();
    installClaude({ ...options, maxIterations: 300 });
    const { notes } = uninstallClaude(options);
    expect(json(settings)).toEqual({ env: { [BLOCK_CAP]: "300" } });
    expect(notes.join()).toContain(`Left ${BLOCK_CAP} at 300`);
    expect(uninstallClaude(options)).toEqual({ done: [], notes: [] });
  });

  it("keeps other hooks, keys, order and indentation, and restores the file byte for byte", () => {
    const theirs = `{
    "model": "opus",   "permissions": { "allow": ["Bash(ls:*)"] },
    "hooks": {
        "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ],
        "PreToolUse": []
    },
    "env": {}
}`;
    const { options, settings } = world({ "project/.claude/settings.json": theirs });
    fs.chmodSync(settings, 0o640);
    installClaude(options);
    const now = json(settings);
    expect(Object.keys(now)).toEqual(["model", "permissions", "hooks", "env"]);
    expect(now.hooks.Stop[0]).toEqual({ hooks: [{ type: "command", command: "say done" }] });
    expect(now.hooks.Stop).toHaveLength(2);
    expect(fs.statSync(settings).mode & 0o777).toBe(0o640);
    expect(fs.readFileSync(settings, "utf8").startsWith(theirs.slice(0, theirs.indexOf(" ],\n")))).toBe(true);
    uninstallClaude(options);
    expect(fs.readFileSync(settings, "utf8")).toBe(theirs);
    expect(fs.statSync(settings).mode & 0o777).toBe(0o640);
  });

  it("restores every settings file", () => {
    const { options, settings } = world({ "project/.claude/settings.json": "{}" });
    const theirHook = fc.record({ type: fc.constant("command"), command: fc.string() });
    const groups = fc.array(
      fc.oneof(fc.record({ hooks: fc.array(theirHook, { maxLength: 2 }) }), fc.jsonValue()),
      {
        maxLength: 3,
      },
    );
    const names = fc.constantFrom(...Object.keys(HOOKS), "PreToolUse");
    const some = fc.record(
      {
        hooks: fc.dictionary(names, groups, { noNullPrototype: true }),
        env: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
        other: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const style = fc.tuple(
      fc.constantFrom("", "  ", "    ", "\t"),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
    );
    fc.assert(
      fc.property(some, style, fc.boolean(), (value, [indent, eol, bom], again) => {
        const text = `${bom ? "\ufeff" : ""}${JSON.stringify(value, null, indent).replaceAll("\n", eol)}${eol}`;
        fs.writeFileSync(settings, text);
        installClaude(options);
        const now = JSON.parse(fs.readFileSync(settings, "utf8").replace("\ufeff", ""));
        for (const event of Object.keys(HOOKS)) expect(now.hooks[event].at(-1).hooks).toHaveLength(1);
        if (again) expect(installClaude(options).done).toEqual([]);
        uninstallClaude(options);
        expect(fs.readFileSync(settings, "utf8")).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it("writes through a symbolic link", () => {
    const { root, options, settings } = world({ "dotfiles/claude.json": "{}\n" });
    fs.mkdirSync(path.dirname(settings));
    fs.symlinkSync("../../dotfiles/claude.json", settings);
    installClaude(options);
    expect(fs.lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(json(path.join(root, "dotfiles/claude.json")).hooks.Stop).toHaveLength(1);
    uninstallClaude(options);
    expect(fs.lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(settings, "utf8")).toBe("{}\n");
  });

  it.each([
    ["not JSON", "{ mine\n}", "expected JSON, got something else"],
    ["an empty file", "", "expected JSON, got something else"],
    ["a list", "[]", "expected the settings to be an object, got a list"],
    ["hooks as a list", '{"hooks": []}', 'expected "hooks" to be an object, got a list'],
    ["no hooks at all", '{"hooks": null}', 'expected "hooks" to be an object, got null'],
    [
      "an event as an object",
      '{"hooks": {"Stop": {}}}',
      'expected "hooks"."Stop" to be a list, got an object',
    ],
    ["no env at all", '{"env": null}', 'expected "env" to be an object, got null'],
    ["an odd env", '{"env": "A=1"}', 'expected "env" to be an object, got a string'],
  ])("rejects %s with advice, and changes nothing", (_, text, expected) => {
    const { root, options, settings } = world({ "project/.claude/settings.json": text });
    const before = filesIn(root);
    for (const work of [installClaude, uninstallClaude]) {
      const message = errorOf(() => work(options));
      expect(message).toContain(`${settings}: ${expected}`);
      expect(message).toMatch(/try again. Nothing was changed$/);
    }
    expect(filesIn(root)).toEqual(before);
  });

  it("rejects a foreign command file before anything is written", () => {
    const { root, options } = world({ "project/.claude/commands/ralph-status.md": "Mine.\n" });
    const before = filesIn(root);
    expect(errorOf(() => installClaude(options))).toContain(
      "ralph-status.md: expected no command of this name, got one that Converge did not write",
    );
    expect(filesIn(root)).toEqual(before);
    // Uninstalling does not remove it either.
    expect(uninstallClaude(options).done).toEqual([]);
    expect(filesIn(root)).toEqual(before);
  });

  it("updates older commands", () => {
    const old = "---\n# Part of converge-loop: an older one\n---\nOld.\n";
    const { options } = world({ "project/.claude/commands/ralph.md": old });
    installClaude(options);
    for (const name of COMMANDS)
      expect(fs.readFileSync(path.join(options.dir, ".claude/commands", name), "utf8")).toBe(
        fs.readFileSync(path.join("plugins/claude-code/commands", name), "utf8"),
      );
  });

  it("rejects a second installation with another command, and accepts the same command twice", () => {
    const { options, root } = world();
    installClaude({ ...options, scope: "user" });
    expect(installClaude(options).done.length).toBeGreaterThan(0);
    uninstallClaude(options);
    const theirs = path.join(root, "home/.claude/settings.json");
    fs.writeFileSync(
      theirs,
      fs.readFileSync(theirs, "utf8").replaceAll(`${process.execPath} ${PROGRAM}`, "converge"),
    );
    expect(errorOf(() => installClaude(options))).toContain(
      `${theirs}: expected no other installation, got one that calls \`converge hook claude-prompt\``,
    );
  });

  it("reports that hooks are disabled", () => {
    const { options } = world({ "project/.claude/settings.json": '{"disableAllHooks": true}' });
    expect(installClaude(options).notes.join()).toContain("runs no hooks at all");
  });
});
