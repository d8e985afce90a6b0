// The plugin's files match the package, and its script finds the command or reports what is missing.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { HOOKS } from "#hooks/claude-settings";
import { temporary, write } from "../../support/folders.ts";

const PLUGIN = path.resolve("plugins/claude-code");
const json = (file: string) => JSON.parse(fs.readFileSync(file, "utf8"));

/** Copies only the plugin, as Claude Code does from a marketplace. */
function alone(): string {
  const dir = path.join(temporary(), "cache/converge/0.1.0");
  fs.cpSync(PLUGIN, dir, { recursive: true });
  return dir;
}

function called(dir: string, hook: string, input: string, bin = "/nowhere"): unknown {
  const PATH = `${bin}:/usr/bin:/bin`;
  const { stdout, status } = spawnSync("/bin/sh", [path.join(dir, "hooks/converge.sh"), hook], {
    input,
    encoding: "utf8",
    env: { PATH },
  });
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

const typed = (prompt: string) => JSON.stringify({ session_id: "s", cwd: "/", prompt });

describe("the plugin for Claude Code", () => {
  it("has the package's version, and is listed in the repository's marketplace", () => {
    const { version, files } = json("package.json");
    expect(json(path.join(PLUGIN, ".claude-plugin/plugin.json"))).toMatchObject({
      name: "converge",
      version,
    });
    const { name, plugins } = json(".claude-plugin/marketplace.json");
    expect(name).toBe("converge-loop");
    expect(plugins).toMatchObject([{ name: "converge", source: "./plugins/claude-code" }]);
    expect(files).toContain("plugins");
  });

  it("has a hook for every event, with a timeout long enough for gates", () => {
    const { hooks } = json(path.join(PLUGIN, "hooks/hooks.json"));
    expect(Object.keys(hooks)).toEqual(Object.keys(HOOKS));
    for (const [event, name] of Object.entries(HOOKS))
      expect(hooks[event][0].hooks).toEqual([
        {
          type: "command",
          command: `sh "\${CLAUDE_PLUGIN_ROOT}/hooks/converge.sh" claude-${name}`,
          timeout: 3_600,
        },
      ]);
  });

  it.each(["ralph", "cancel-ralph", "ralph-status"])(
    "has a command %s that executes nothing itself",
    (name) => {
      const text = fs.readFileSync(path.join(PLUGIN, "commands", `${name}.md`), "utf8");
      const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
      const { description, ...more } = parse(front);
      expect(description).toMatch(/\w/);
      if (name === "ralph") expect(more["argument-hint"]).toContain("[--max-iterations N]");
      expect(body).not.toMatch(/!`|\$ARGUMENTS|@\//);
      expect(body).toContain("converge hook install claude");
    },
  );

  it("uses the installed converge", () => {
    const bin = temporary();
    write(bin, { "converge.sh": '#!/bin/sh\nprintf \'{"called":"%s","told":%s}\' "$*" "$(cat)"\n' });
    fs.renameSync(path.join(bin, "converge.sh"), path.join(bin, "converge"));
    expect(called(alone(), "claude-stop", '{"a":1}', bin)).toEqual({
      called: "hook claude-stop",
      told: { a: 1 },
    });
  });

  it("reports what to install when converge is missing, only when a loop is requested", () => {
    const dir = alone();
    for (const prompt of ["/ralph go", "/cancel-ralph", "/ralph-status", "/converge:ralph go"])
      expect(called(dir, "claude-prompt", typed(prompt))).toMatchObject({
        decision: "block",
        reason: expect.stringContaining("npm install -g converge-loop"),
      });
    expect(called(dir, "claude-prompt", typed("go on, /ralph"))).toEqual({});
    expect(called(dir, "claude-stop", typed("/ralph go"))).toEqual({});
  });
});
