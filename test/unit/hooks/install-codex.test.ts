import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { installCodex, uninstallCodex } from "#hooks/install/codex";
import { installPlace } from "../../support/install-place.ts";

const BIN = fileURLToPath(new URL("../../../bin/converge.js", import.meta.url));
const SKILLS = ["cancel-ralph", "ralph-status", "ralph"].map((name) => `skills/${name}/SKILL.md`);
const OTHERS = `{
\t"description": "mine",
\t"hooks": {
\t\t"Stop": [
\t\t\t{
\t\t\t\t"hooks": [
\t\t\t\t\t{
\t\t\t\t\t\t"type": "command",
\t\t\t\t\t\t"command": "my hook codex-stop"
\t\t\t\t\t}
\t\t\t\t]
\t\t\t}
\t\t],
\t\t"PreToolUse": []
\t}
}`;

interface Hooks {
  readonly hooks: Record<string, { hooks: { type: string; command: string; timeout: number }[] }[]>;
}

describe("installing session loops for Codex", () => {
  it.each([
    ["user", "home/.codex"],
    ["project", "project/.codex"],
  ] as const)(
    "writes hooks and skills into the %s's folder, and reports that they must be trusted",
    (scope, folder) => {
      const place = installPlace();
      const { done, notes } = installCodex(place[scope]);
      const files = [`${folder}/hooks.json`, ...SKILLS.map((skill) => `${folder}/${skill}`)];
      expect(Object.keys(place.all())).toEqual(files);
      expect(done).toHaveLength(4);
      expect(notes.join("\n")).toMatch(
        /\/hooks: no hook runs before you trust it.*codex exec silently skips/s,
      );
      const { hooks } = JSON.parse(place.read(`${folder}/hooks.json`)) as Hooks;
      expect(Object.keys(hooks)).toEqual(["UserPromptSubmit", "Stop"]);
      const command = `${process.execPath} ${BIN} hook codex-stop`;
      expect(hooks.Stop).toEqual([{ hooks: [{ type: "command", command, timeout: 86_400 }] }]);
      expect(place.read(`${folder}/skills/ralph/SKILL.md`)).toMatch(/^---\nname: ralph\ndescription: "/);
    },
  );

  it("uses CODEX_HOME when it is set", () => {
    const place = installPlace();
    const env = { ...place.user.env, CODEX_HOME: path.join(place.root, "elsewhere") };
    installCodex({ ...place.user, env });
    expect(Object.keys(place.all())).toContain("elsewhere/hooks.json");
  });

  it("changes nothing the second time, and leaves nothing behind after uninstalling", () => {
    const place = installPlace();
    installCodex(place.user);
    const before = place.all();
    expect(installCodex(place.user).done).toEqual([]);
    expect(place.all()).toEqual(before);
    expect(uninstallCodex(place.user).done).toHaveLength(4);
    expect(place.all()).toEqual({});
    expect(fs.readdirSync(path.join(place.root, "home/.codex"))).toEqual([]);
    expect(uninstallCodex(place.user).done).toEqual([]);
    installCodex(place.project);
    uninstallCodex(place.project);
    expect(fs.readdirSync(path.join(place.root, "project"))).toEqual([]);
  });

  it("keeps other hooks, and restores the file", () => {
    const place = installPlace();
    const file = "home/.codex/hooks.json";
    place.write(file, OTHERS);
    installCodex(place.user);
    const text = place.read(file);
    expect(text).toMatch(/^\{\n\t"description": "mine",\n\t"hooks": \{\n\t\t"Stop": \[/);
    const { hooks } = JSON.parse(text) as Hooks;
    expect(Object.keys(hooks)).toEqual(["Stop", "PreToolUse", "UserPromptSubmit"]);
    // Appended after theirs: Codex identifies trusted hooks by their position.
    expect(hooks.Stop?.map((group) => group.hooks.length)).toEqual([1, 1]);
    expect(hooks.Stop?.[0]?.hooks[0]?.command).toBe("my hook codex-stop");
    uninstallCodex(place.user);
    expect(place.read(file)).toBe(OTHERS);
  });

  it.each(['{"hooks":{"Stop":[ ]} , "x":1}', '{ "a": 1.0,\r\n\t"hooks": {}}', "\ufeff{}\n\n"])(
    "restores %j byte for byte",
    (text) => {
      const place = installPlace();
      const file = "home/.codex/hooks.json";
      place.write(file, text);
      expect(installCodex(place.user).done).toHaveLength(4);
      uninstallCodex(place.user);
      expect(place.all()).toEqual({ [file]: text });
    },
  );

  it("updates our hook in place", () => {
    const place = installPlace();
    const [old, theirs] = ["/old/node /old/bin/converge.js hook codex-stop", "theirs"].map((command) => ({
      type: "command",
      command,
    }));
    const hooks = { Stop: [{ hooks: [old, theirs] }, { matcher: "x", hooks: [old] }] };
    place.write("home/.codex/hooks.json", JSON.stringify({ hooks }));
    installCodex(place.user);
    const after = JSON.parse(place.read("home/.codex/hooks.json")) as Hooks;
    expect(after.hooks.Stop).toEqual([
      { hooks: [{ ...old, command: expect.stringContaining(BIN), timeout: 86_400 }, theirs] },
    ]);
  });

  it("removes our hooks for events that no longer exist, and no others", () => {
    const place = installPlace();
    const old = { type: "command", command: "converge hook codex-older" };
    const other = { type: "command", command: "converge hook claude-stop" };
    place.write(
      "home/.codex/hooks.json",
      JSON.stringify({ hooks: { SessionStart: [{ hooks: [old] }, { hooks: [other, old] }] } }),
    );
    installCodex(place.user);
    const { hooks } = JSON.parse(place.read("home/.codex/hooks.json")) as Hooks;
    expect(Object.keys(hooks)).toEqual(["SessionStart", "UserPromptSubmit", "Stop"]);
    expect(hooks.SessionStart).toEqual([{ hooks: [other] }]);
  });

  it.each([
    ["is not JSON", "{ mine\n}", "expected JSON, got something else"],
    ["is a list", "[]", "expected the settings to be an object, got a list"],
    ["has another shape", '{"hooks": []}', 'expected "hooks" to be an object, got a list'],
    ["has another shape below", '{"hooks": {"Stop": {}}}', 'expected "hooks"."Stop" to be a list'],
  ])("rejects a file that %s, and changes nothing", (_name, text, words) => {
    const place = installPlace();
    const file = "home/.codex/hooks.json";
    place.write(file, text);
    for (const work of [installCodex, uninstallCodex]) {
      expect(() => work(place.user)).toThrow(`${path.join(place.root, file)}: ${words}`);
      expect(() => work(place.user)).toThrow(/try again\. Nothing was changed$/);
    }
    expect(place.all()).toEqual({ [file]: text });
  });

  it("rejects a foreign skill before anything is written", () => {
    const place = installPlace();
    const [file, folder] = ["home/.codex/skills/ralph/SKILL.md", "home/.codex/skills/ralph-status/SKILL.md"];
    const refused = (name: string) =>
      `${path.join(place.root, name)}: expected no skill of this name, got one that Converge did not write; rename it`;
    fs.mkdirSync(path.join(place.root, folder), { recursive: true });
    expect(() => installCodex(place.user)).toThrow(refused(folder));
    place.write(file, "mine");
    expect(() => installCodex(place.user)).toThrow(refused(file));
    expect(place.all()).toEqual({ [file]: "mine" });
    // Uninstalling does not remove it either.
    expect(uninstallCodex(place.user).done).toEqual([]);
    expect(place.all()).toEqual({ [file]: "mine" });
  });

  it("writes through a symbolic link, even a dangling one", () => {
    const place = installPlace();
    const link = path.join(place.root, "home/.codex/hooks.json");
    place.write("dotfiles/hooks.json", "{}");
    fs.chmodSync(path.join(place.root, "dotfiles/hooks.json"), 0o660);
    fs.mkdirSync(path.dirname(link));
    fs.symlinkSync("../../dotfiles/hooks.json", link);
    installCodex(place.user);
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(place.read("dotfiles/hooks.json")).toContain("codex-stop");
    expect(fs.statSync(link).mode & 0o777).toBe(0o660);
    uninstallCodex(place.user);
    expect(place.read("dotfiles/hooks.json")).toBe("{}");
    fs.rmSync(path.join(place.root, "dotfiles/hooks.json"));
    installCodex(place.user);
    expect(place.read("dotfiles/hooks.json")).toContain("codex-stop");
    uninstallCodex(place.user);
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(fs.readdirSync(path.join(place.root, "dotfiles"))).toEqual([]);
  });

  it("uses the name converge when a shell finds it, but not through npm's temporary PATH", () => {
    const place = installPlace();
    const commandWith = (folder: string, target: string) => {
      const bin = path.join(place.root, folder);
      fs.mkdirSync(bin, { recursive: true });
      fs.symlinkSync(target, path.join(bin, "converge"));
      installCodex({ ...place.user, env: { ...place.user.env, PATH: bin } });
      return (JSON.parse(place.read("home/.codex/hooks.json")) as Hooks).hooks.Stop?.[0]?.hooks[0]?.command;
    };
    expect(commandWith("bin", BIN)).toBe("converge hook codex-stop");
    expect(commandWith("other", process.execPath)).toContain(BIN);
    expect(commandWith("node_modules/.bin", BIN)).toContain(BIN);
  });

  it("quotes commands for the shell", () => {
    const place = installPlace();
    installCodex(place.user);
    const { hooks } = JSON.parse(place.read("home/.codex/hooks.json")) as Hooks;
    const command = hooks.UserPromptSubmit?.[0]?.hooks[0]?.command ?? "";
    const words = execFileSync("sh", ["-c", `printf '%s\\n' ${command}`], { encoding: "utf8" });
    expect(words.trim().split("\n")).toEqual([process.execPath, BIN, "hook", "codex-prompt"]);
  });
});
