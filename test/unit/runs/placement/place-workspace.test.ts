import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { placeWorkspace, resolveRef, taskOfRepository } from "#runs/placement/place-workspace";
import { type Context, openContext } from "#state/context";
import { inMemory } from "#stores/in-memory";
import { exampleTask } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { temporary, write } from "../../../support/folders.ts";
import { type Git, gitIn, repository } from "../../../support/repository.ts";
import { readYaml } from "../../config/fixtures.ts";

interface Place {
  readonly app: Context;
  readonly origin: string;
  readonly git: Git;
  /** Creates a workspace from the ref, or from the commit `head`, and returns its folder. */
  place(ref: string, head?: string, dir?: string): Promise<string>;
}

function prepared(): Place {
  const root = temporary();
  const origin = path.join(root, "origin");
  const git = repository(origin, { "a.txt": "one\n" });
  const app = openContext({ CONVERGE_HOME: path.join(root, "home") }, inMemory());
  onTestFinished(() => app.store.close());
  const place: Place["place"] = async (ref, head, dir = path.join(temporary(), "workspace")) => {
    const task = exampleTask({ workspace: { type: "in-place", dir, git: { url: origin, ref } } });
    await placeWorkspace(app, { id: uniqueRun(), host: "here", task, ...(head && { head }) }, dir);
    return dir;
  };
  return { app, origin, git, place };
}

const headOf = (dir: string) => gitIn(dir)("rev-parse", "HEAD").trim();
const read = (dir: string) => fs.readFileSync(path.join(dir, "a.txt"), "utf8");

function commit({ git, origin }: Place, text: string): string {
  write(origin, { "a.txt": text });
  git("commit", "--quiet", "--all", "--message", text);
  return headOf(origin);
}

it("finds the files to protect in the task's repository, not in the local folder", async () => {
  const { app, git, origin } = prepared();
  write(origin, { "check.sh": "true\n" });
  git("add", ".");
  git("commit", "--quiet", "--message", "check");
  const text = `prompt: x\nagent: claude\nworkspace: {git: ${origin}}\ngates: [{type: command, command: sh check.sh}]\n`;
  const read = await readYaml(text);
  const names = (protect: typeof read.task.protect) => protect?.paths.map((one) => one.path);
  const task = await taskOfRepository(app, read);
  expect([names(read.task.protect), names(task.protect)]).toEqual([
    expect.not.arrayContaining(["check.sh"]),
    expect.arrayContaining(["check.sh"]),
  ]);
  expect([task.workspace, fs.readdirSync(app.home.imports)]).toEqual([read.task.workspace, []]);
});

describe("a workspace cloned from a repository", () => {
  it("checks out the current branch, a tag, or the commit that the run started from", async () => {
    const given = prepared();
    const first = headOf(given.origin);
    const one = await given.place("main");
    const second = commit(given, "two\n");
    given.git("tag", "v2");
    const [two, again, tagged] = [
      await given.place("main"),
      await given.place("main", first),
      await given.place("v2"),
    ];
    expect([one, two, again, tagged].map(headOf)).toEqual([first, second, first, second]);
    expect([one, two, again, tagged].map(read)).toEqual(["one\n", "two\n", "one\n", "two\n"]);
    expect(gitIn(two)("status", "--porcelain=2", "--branch")).toContain("# branch.upstream origin/main");
    expect(gitIn(tagged)("branch", "--show-current")).toBe("");
  });

  it("works after the mirror was deleted and the branch was rewritten", async () => {
    const given = prepared();
    const { git, app, place, origin } = given;
    const gone = commit(given, "rewritten\n");
    const dir = await place("main");
    git("reset", "--quiet", "--hard", "HEAD~1");
    commit(given, "instead\n");
    await place("main");
    expect(headOf(await place("main", gone))).toBe(gone);
    fs.rmSync(app.home.mirrors, { recursive: true });
    expect(gitIn(dir)("fsck", "--full")).toBe("");
    expect(
      await resolveRef(
        app,
        exampleTask({ workspace: { type: "in-place", dir, git: { url: origin, ref: "main" } } }),
      ),
    ).toBe(headOf(origin));
  });

  it.each([
    [
      "has no objects folder",
      (mirror: string) => fs.rmSync(path.join(mirror, "objects"), { recursive: true }),
    ],
    ["has an invalid config", (mirror: string) => fs.writeFileSync(path.join(mirror, "config"), "[core\n")],
    [
      "has truncated packs and no loose objects",
      (mirror: string) => {
        const pack = path.join(mirror, "objects", "pack");
        for (const name of fs.readdirSync(pack).filter((one) => one.endsWith(".pack"))) {
          fs.chmodSync(path.join(pack, name), 0o600);
          fs.truncateSync(path.join(pack, name), 40);
        }
        const objects = path.join(mirror, "objects");
        for (const name of fs.readdirSync(objects).filter((one) => one.length === 2))
          fs.rmSync(path.join(objects, name), { recursive: true });
      },
    ],
  ])("is created even when the mirror %s", async (_, spoil) => {
    const { app, origin, place } = prepared();
    const head = headOf(await place("main"));
    spoil(app.home.mirrorOf(origin));
    const dir = await place("main", head);
    expect([read(dir), gitIn(dir)("fsck", "--full")]).toEqual(["one\n", ""]);
  });

  it("can be created several times concurrently, each in its own folder", async () => {
    const { place } = prepared();
    const all = await Promise.all([place("main"), place("main"), place("main")]);
    expect(all.map(read)).toEqual(["one\n", "one\n", "one\n"]);
  });

  it("replaces an interrupted attempt, and refuses a folder with other files", async () => {
    const { place } = prepared();
    const dir = path.join(temporary(), "workspace");
    write(`${dir}.new`, { "half.txt": "", ".git/HEAD": "nonsense" });
    fs.mkdirSync(dir);
    expect(fs.readdirSync(await place("main", undefined, dir)).sort()).toEqual([".git", "a.txt"]);
    await place("main", undefined, dir);
    const full = temporary();
    write(full, { "mine.txt": "" });
    await expect(place("main", undefined, full)).rejects.toThrow(/the folder is not empty/);
    expect(fs.readdirSync(full)).toEqual(["mine.txt"]);
  });

  it("rejects URLs and refs that git would run as a command or parse as an option", async () => {
    const { app, place } = prepared();
    const dir = temporary();
    const workspace = (url: string) => ({ type: "in-place", dir, git: { url, ref: "main" } });
    for (const url of [`ext::sh -c touch% ${dir}/ran`, "--upload-pack=touch ran", "fd::7"])
      await expect(async () => resolveRef(app, exampleTask({ workspace: workspace(url) }))).rejects.toThrow(
        /is not an address that git may fetch from/,
      );
    await expect(place("main", "--output=x")).rejects.toThrow(
      /is not a valid name of a branch, tag or commit/,
    );
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it("names the cause of a failure: unknown branch, unreachable repository, missing commit", async () => {
    const { app, place, origin } = prepared();
    await expect(place("nonsense")).rejects.toThrow(
      /has no branch, tag or commit "nonsense"; name another in workspace\.ref/,
    );
    await expect(place("main", "1".repeat(40))).rejects.toThrow(/no longer provides the commit 1{40}/);
    const task = exampleTask({
      workspace: { type: "in-place", dir: "/x", git: { url: `${origin}-not`, ref: "main" } },
    });
    await expect(resolveRef(app, task)).rejects.toThrow(/cannot fetch .*origin-not .*credential helper/);
  });
});
