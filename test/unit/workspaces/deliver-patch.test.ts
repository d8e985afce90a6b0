import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { uniqueRun } from "../../../src/testing/unique-run.ts";
import { bench, worked } from "../../support/deliveries.ts";
import { temporary, write } from "../../support/folders.ts";
import { gitIn } from "../../support/repository.ts";

const edit = (dir: string) => {
  write(dir, {
    tracked: "2\n",
    "new ä/file.txt": "born\n",
    "run.sh": "#!/bin/sh\n",
    latin: Buffer.from([0xe4, 0x0a]),
  });
  fs.writeFileSync(
    path.join(dir, "binary"),
    Uint8Array.from({ length: 3000 }, (_, at) => (at * 7) % 256),
  );
  fs.rmSync(path.join(dir, "goes"), { force: true });
  fs.symlinkSync("tracked", path.join(dir, "link"));
};

/** Applies the patch to a fresh clone and returns the resulting tree. */
function applied(dir: string, patch: string, root: string): string {
  const copy = path.join(root, "copy");
  gitIn(root)("clone", "--quiet", dir, copy);
  const git = gitIn(copy);
  git("apply", "--index", patch);
  return git("write-tree").trim();
}

describe("delivery as a patch", () => {
  it("gives the judged tree when it is applied to the base, for every kind of file", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n", "windows.txt": "a\r\n" });
    const { tree, deliver } = await worked(here, edit);
    const { file, problem } = await deliver({ type: "patch" });
    expect(problem).toBeUndefined();
    expect(file).toBe(path.join(here.root, "state/files", `${here.run}.patch`));
    expect(applied(here.dir, file ?? "", here.root)).toBe(tree);
  });

  it("applies to the whole repository when the workspace is a subfolder", async () => {
    const here = bench({ "pkg/tracked": "1\n", "pkg/goes": "1\n" });
    const { tree, deliver } = await worked(here, edit, { below: "pkg" });
    const { file } = await deliver({ type: "patch" });
    const whole = applied(here.dir, file ?? "", here.root);
    expect(gitIn(path.join(here.root, "copy"))("rev-parse", `${whole}:pkg`).trim()).toBe(tree);
  });

  it("works without a repository", async () => {
    const root = temporary();
    const dir = path.join(root, "project");
    write(dir, { tracked: "1\n" });
    const { deliver } = await worked({ root, dir, run: uniqueRun(), git: gitIn(dir) }, (at) =>
      write(at, { tracked: "2\n" }),
    );
    const { file } = await deliver({ type: "patch" });
    write(dir, { tracked: "1\n" });
    gitIn(dir)("apply", file ?? "");
    expect(fs.readFileSync(path.join(dir, "tracked"), "utf8")).toBe("2\n");
  });

  it("writes to the requested file and overwrites an earlier patch", async () => {
    const here = bench({ tracked: "1\n" });
    const { deliver } = await worked(here, (dir) => write(dir, { tracked: "2\n" }));
    for (const file of [path.join(here.root, "fix.patch"), path.join(here.dir, "fix.patch")]) {
      expect(await deliver({ type: "patch", file })).toMatchObject({ file });
      expect(await deliver({ type: "patch", file })).toMatchObject({ file });
      expect(fs.readFileSync(file, "utf8")).toContain("+2\n");
    }
  });

  it("never writes through a symlink, over a file that is not a patch, or into a missing folder", async () => {
    const here = bench({ tracked: "1\n", "kept/file": "mine\n" });
    const { deliver } = await worked(here, (dir) => write(dir, { tracked: "2\n" }));
    const outside = path.join(here.root, "outside");
    write(outside, { precious: "x" });
    fs.symlinkSync(path.join(outside, "precious"), path.join(here.dir, "link.patch"));
    fs.symlinkSync(outside, path.join(here.dir, "folder"));
    const refused = {
      "link.patch": "is not a regular file",
      "folder/fix.patch": "leads through a link",
      "kept/file": "exists and is not a patch",
      "nowhere/fix.patch": "there is no folder",
      kept: "is not a regular file",
    };
    for (const [name, why] of Object.entries(refused)) {
      const { file, problem } = await deliver({ type: "patch", file: path.join(here.dir, name) });
      expect(problem, name).toContain(why);
      expect(problem).toContain(`the patch is in ${file}`);
      expect(fs.readFileSync(file ?? "", "utf8")).toContain("+2\n");
    }
    expect(fs.readdirSync(outside)).toEqual(["precious"]);
    expect(fs.readFileSync(path.join(outside, "precious"), "utf8")).toBe("x");
    expect(fs.readFileSync(path.join(here.dir, "kept/file"), "utf8")).toBe("mine\n");
  });
});
