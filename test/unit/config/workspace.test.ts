import { describe, expect, it } from "vitest";
import { projectOf } from "#rules/project";
import { problemsIn, readYaml } from "./fixtures.ts";

const taskWith = (workspace: string) => `prompt: x\nagent: claude\nworkspace: ${workspace}\n`;

describe("a workspace that is a repository", () => {
  it.each([
    "https://example.com/a/b.git",
    "https://me@example.com/a/b",
    "http://localhost:3000/a",
    "ssh://git@example.com:22/a",
    "git@example.com:a/b.git",
    "file:///srv/a.git",
    "/srv/a.git",
  ])("accepts %s", async (url) => {
    const { workspace, onResume } = (await readYaml(taskWith(`{git: "${url}"}`))).task;
    expect([workspace.git, workspace.type, onResume]).toEqual([{ url, ref: "main" }, "in-place", "restore"]);
    expect(projectOf(workspace)).toBe(url.startsWith("/") ? `file://${url}` : url);
  });

  it("has a ref and a snapshot remote, which a folder can have too", async () => {
    const both = (await readYaml(taskWith("{git: /a, ref: v1.0, snapshots: /b}"))).task;
    expect(both.workspace).toMatchObject({ git: { url: "/a", ref: "v1.0" }, snapshots: "/b" });
    expect((await readYaml(taskWith("{snapshots: /b}"))).task.workspace).toMatchObject({ snapshots: "/b" });
  });

  it.each([
    ["ext::sh -c id", 'got "ext::sh -c id"'],
    ["fd::17", 'got "fd::17"'],
    ["--upload-pack=id", "expected https://…"],
    ["-o@host:x", "expected https://…"],
    ["git@-oProxyCommand=id:x", "expected https://…"],
    ["ssh://-oProxyCommand=id/x", "expected https://…"],
    ["ftp://example.com/x", "expected https://…"],
    ["../sibling", "an absolute path"],
    ["file://host/x", "expected https://…"],
  ])("rejects %s", async (url, words) => {
    const [problem, ...more] = await problemsIn(taskWith(`{git: "${url}"}`));
    expect([problem, more]).toEqual([expect.stringContaining(words), []]);
  });

  it("rejects a URL with a password without quoting it", async () => {
    const [problem] = await problemsIn(taskWith('{git: "https://me:hunter2@example.com/x"}'));
    expect(problem).toContain("expected an address without a password; git asks a credential helper");
    expect(problem).not.toContain("hunter2");
  });

  it.each(["-x", "a b", "a..b", "a^", "a:b", "x@{1}", "/a", "a.lock"])("rejects the ref %s", async (ref) => {
    expect(await problemsIn(taskWith(`{git: /a, ref: "${ref}"}`))).toEqual([
      expect.stringContaining("workspace.ref: expected a branch, a tag or a commit"),
    ]);
  });

  it.each([
    ["{git: /a, dir: .}", "workspace.dir cannot be combined with workspace.git"],
    ["{git: /a, type: worktree}", "workspace.type cannot be combined with workspace.git"],
    ["{ref: main}", "workspace.ref needs workspace.git"],
  ])("rejects conflicting keys: %s", async (workspace, words) => {
    expect(await problemsIn(taskWith(workspace))).toEqual([expect.stringContaining(words)]);
  });
});
