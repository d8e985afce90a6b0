// Files that the agent must not change because the gates judge by them: detected on disk, shown, restored.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Ran, runTask, taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const PACKAGE = `${JSON.stringify({ name: "x", scripts: { test: "sh check.sh", build: "true" } }, null, 2)}\n`;

// The gate runs the check; the agent is asked to change the product.
const FILES = {
  "package.json": PACKAGE,
  "check.sh": 'test "$(cat product)" = right\n',
  product: "wrong\n",
};

const shell = (command: string) => ({ type: "command", command });

/** An agent that cheats in its first iteration and works in the second. */
const cheat = (trick: string) =>
  shell(`if [ "$CONVERGE_ITERATION" = 1 ]; then ${trick}; else echo right > product; fi`);

const GATES = [{ name: "tests", command: "npm test --silent" }];
const CHECK = [{ name: "check", command: "sh check.sh" }];

function cheated(trick: string, task: object = {}, files: object = {}): Promise<Ran> {
  return runTask({ agent: cheat(trick), gates: GATES, ...task }, { ...FILES, ...files });
}

const changed = (ran: Ran) => ofType(ran.events, "protected.changed");
const paths = (ran: Ran) =>
  changed(ran).map(({ changes }) => changes.map(({ path: name, kind }) => `${name} ${kind}`));
const statusOf = (ran: Ran, iteration: number) =>
  ofType(ran.events, "gate.judged").find((event) => event.iteration === iteration)?.verdict.status;

describe("restore, the default", () => {
  it("restores protected files before the gates judge, shows a diff and tells the agent", async () => {
    const ran = await cheated("echo true > check.sh; echo more > notes");
    expect(paths(ran)).toEqual([["check.sh changed"]]);
    const [event] = changed(ran);
    expect(event).toMatchObject({ iteration: 1, action: "restore" });
    expect(event?.diff).toMatch(/^-test .*\n\+true$/m);
    expect(statusOf(ran, 1)).toBe("failed");
    expect(ran.prompts[1]).toMatch(/are protected.*were undone[\s\S]*\| check\.sh \(changed\)/);
    expect(ran).toMatchObject({ outcome: "converged", iterations: 2 });
    expect(ran.box.read("check.sh")).toBe(FILES["check.sh"]);
    expect(ran.box.read("notes")).toBe("more\n");
  });

  it("keeps the agent's version, which diff shows and restore fetches", async () => {
    const ran = await cheated("echo true > check.sh");
    const [{ tree } = { tree: "" }] = changed(ran);
    const diff = await ran.box.converge("diff", "last", tree.slice(0, 12));
    expect(diff.stdout).toMatch(/^\+true$/m);
    const restored = await ran.box.converge("restore", "last", "--iteration", tree.slice(0, 12));
    expect(restored).toMatchObject({ code: 0 });
    expect(ran.box.read("check.sh")).toBe("true\n");
  });

  it("protects a script in package.json by its value and leaves the rest of the file free", async () => {
    const edit = `sed -i 's/sh check.sh/true/; s/"build": "true"/"build": "tsc"/' package.json`;
    const ran = await cheated(edit);
    expect(paths(ran)).toEqual([["package.json#scripts.test changed"]]);
    expect(changed(ran)[0]?.diff).toContain('-"sh check.sh"\n+"true"\n');
    expect(statusOf(ran, 1)).toBe("failed");
    expect(ran.box.read("package.json")).toBe(PACKAGE.replace('"build": "true"', '"build": "tsc"'));
  });

  it("removes an added script that npm would run before the tests", async () => {
    const ran = await cheated(`sed -i 's/"build"/"pretest": "echo right > product", "build"/' package.json`);
    expect(paths(ran)).toEqual([["package.json#scripts.pretest added"]]);
    expect(statusOf(ran, 1)).toBe("failed");
  });

  it("removes new settings files and keeps a new test", async () => {
    const task = { gates: [...GATES, { name: "unit", command: "command -v vitest || true" }] };
    const ran = await cheated("mkdir -p test; touch vitest.config.js test/new.test.js", task, {
      "test/old.test.js": "",
    });
    expect(paths(ran)).toEqual([["vitest.config.js added"]]);
    expect(ran.box.exists("vitest.config.js")).toBe(false);
    expect(ran.box.exists("test/new.test.js")).toBe(true);
  });

  it("restores the task file", async () => {
    const ran = await cheated("echo 'prompt: rest' > converge.yaml");
    expect(paths(ran)).toEqual([["converge.yaml changed"]]);
    expect(ran.box.read("converge.yaml")).toContain("Do it.");
  });
});

describe("tricks that hide a change", () => {
  const TRICKS: Readonly<Record<string, string>> = {
    "the same size and an old time":
      "touch -r check.sh ../t; sed -i s/right/wrong/ check.sh; touch -r ../t check.sh",
    "skip-worktree": "git update-index --skip-worktree check.sh; echo true > check.sh",
    "a replaced object": `old=$(git rev-parse HEAD:check.sh); echo true > check.sh; git replace $old $(git hash-object -w check.sh)`,
    "an ignore rule": "echo check.sh >> .git/info/exclude; git rm -q --cached check.sh; echo true > check.sh",
    "a commit": "echo true > check.sh; git -c user.name=a -c user.email=a@a commit -qam x",
    "a link to another check": "echo true > free.sh; ln -sf free.sh check.sh",
    "a deleted check": "rm check.sh",
  };

  it.each(Object.entries(TRICKS))("detects and undoes %s", async (_, trick) => {
    const box = sandbox();
    box.write({ ...FILES, ...taskFile({ agent: cheat(trick), gates: CHECK }) });
    box.commitAll();
    const events = (await box.converge("run", "--json")).events();
    const [event, ...more] = ofType(events, "protected.changed");
    expect(event?.changes.map(({ path: name }) => name)).toEqual(["check.sh"]);
    expect(more).toEqual([]);
    expect(box.read("check.sh")).toBe(FILES["check.sh"]);
    expect(fs.lstatSync(path.join(box.dir, "check.sh")).isFile()).toBe(true);
    expect(events.at(-1)).toMatchObject({ outcome: "converged", iterations: 2 });
  });

  it("protects a file that git ignores", async () => {
    const ran = await cheated(
      "echo x > .env.test",
      { protect: [".env.test"] },
      {
        ".gitignore": ".env*\n",
        ".env.test": "A=1\n",
      },
    );
    expect(paths(ran)).toEqual([[".env.test changed"]]);
    expect(ran.box.read(".env.test")).toBe("A=1\n");
  });

  it("does not write through a symlink that replaces a folder", async () => {
    const trick = "mv suite ../stolen; ln -s ../stolen suite; echo wrong > ../stolen/a";
    const ran = await cheated(trick, { protect: ["suite/**"] }, { "suite/a": "right\n" });
    expect(paths(ran)).toEqual([["suite/a deleted"]]);
    expect(ran.box.read("suite/a")).toBe("right\n");
    expect(fs.readFileSync(path.join(ran.box.dir, "../stolen/a"), "utf8")).toBe("wrong\n");
  });
});

describe("the other actions", () => {
  it("fail ends the run as diverged and names the paths", async () => {
    const ran = await cheated("echo true > check.sh; rm package.json", { protect: { action: "fail" } });
    expect(ran).toMatchObject({ outcome: "diverged", iterations: 1, code: 1 });
    expect(ran.reason).toBe("the agent changed what is protected: check.sh, package.json#scripts.test");
    expect(changed(ran)).toHaveLength(1);
    expect(statusOf(ran, 1)).toBeUndefined();
    expect(ran.box.read("check.sh")).toBe("true\n");
  });

  it("a failed run continues once the files are restored, and not before", async () => {
    const ran = await cheated("echo true > check.sh", { protect: { action: "fail" } });
    expect(ran.outcome).toBe("diverged");
    expect((await ran.box.converge("resume", "last", "--json")).code).toBe(1);
    ran.box.write({ "check.sh": FILES["check.sh"] });
    const events = (await ran.box.converge("resume", "last", "--json")).events();
    expect(events.at(-1)).toMatchObject({ type: "run.ended", outcome: "converged" });
    expect(ofType(await ran.box.events(), "protected.changed")).toHaveLength(1);
  });

  it("allow only reports the change", async () => {
    const ran = await cheated("echo true > check.sh", { protect: { action: "allow" } });
    expect(changed(ran)).toMatchObject([{ action: "allow", iteration: 1 }]);
    expect(ran).toMatchObject({ outcome: "converged", iterations: 1 });
    expect(ran.box.read("check.sh")).toBe("true\n");
  });

  it("off protects nothing", async () => {
    const ran = await cheated("echo true > check.sh", { protect: "off" });
    expect(changed(ran)).toEqual([]);
    expect(ofType(ran.events, "snapshot.taken")[0]?.seal).toBeUndefined();
    expect(ran).toMatchObject({ outcome: "converged", iterations: 1 });
  });

  it("the task's list replaces the detected paths", async () => {
    const ran = await cheated(
      "echo true > check.sh; echo x > other",
      { protect: ["other"] },
      { other: "o\n" },
    );
    expect(paths(ran)).toEqual([["other changed"]]);
    expect(ran).toMatchObject({ outcome: "converged", iterations: 1 });
  });
});

describe("output about protection", () => {
  it("validate lists what is protected", async () => {
    const box = sandbox();
    box.write({ ...FILES, ...taskFile({ agent: shell("true"), gates: GATES }) });
    const { stdout } = await box.converge("validate");
    expect(stdout).toContain("protected (changes are undone):");
    expect(stdout).toMatch(/^ {4}package\.json#scripts\.test$/m);
    expect(stdout).toMatch(/^ {2}npm script test runs it:\n {4}check\.sh$/m);
    box.write(taskFile({ agent: shell("true"), gates: GATES, protect: "off" }));
    expect((await box.converge("validate")).stdout).toMatch(/^nothing is protected$/m);
  });

  it("validate works with flags alone and says why a file is protected or free", async () => {
    const box = sandbox();
    box.write({ ...FILES, "test/a.test.js": "" });
    const flags = ["-p", "x", "--agent-cmd", "true", "--gate", "npm test"];
    expect((await box.converge("validate", ...flags)).stdout).toMatch(/^the task is valid/);
    const why = async (file: string, ...more: string[]) =>
      (await box.converge("validate", "--gate", "npm test", ...more, "--why", file)).stdout.trim();
    expect(await why("test/a.test.js")).toBe("test/a.test.js: test (folder of tests), protected by test/**");
    expect(await why("check.sh")).toBe("check.sh: steering (npm script test runs it), protected by check.sh");
    expect(await why("product")).toMatch(/^product: source \(.*\), not protected$/);
    expect(await why("product", "--protect", "prod*")).toMatch(/, protected by prod\*$/);
    expect(await why("check.sh", "--no-protect")).toMatch(/, not protected$/);
  });

  it("show lists what a run protects and why", async () => {
    const ran = await cheated("true");
    const { stdout } = await ran.box.converge("show", "last", "--protected");
    expect(stdout).toMatch(/^ {2}npm script test runs it:\n {4}check\.sh$/m);
  });

  it("warns before the agent starts when there are no tests to protect", async () => {
    const box = sandbox();
    box.write({ "app.sh": "", run: "false\n" });
    const agent = ["-p", "x", "--agent-cmd", "true", "--gate", "sh run", "--max-iterations", "1"];
    const { stderr, stdout } = await box.converge("run", ...agent);
    expect(stderr).toMatch(/^warning: no tests are protected: .*--protect GLOB$/m);
    expect(stdout.indexOf("no test results were recognised")).toBeGreaterThan(-1);
    expect(stdout.indexOf("no test results were recognised")).toBeLessThan(stdout.indexOf("iteration 1"));
    const shown = (await box.converge("show")).stdout.replace(/\s+/g, " ");
    const report = (await box.converge("report", "last", "--md", "-")).stdout;
    const page = (await box.converge("report", "last", "--html", "-")).stdout;
    for (const text of [shown, report, page]) {
      expect(text).toContain("no tests are protected: the agent may change whatever the gates run");
      expect(text).toContain("no test results were recognised: only the exit codes of the gates count");
    }
  });

  it("run prints how much is protected, what changed and what was restored", async () => {
    const box = sandbox();
    box.write({
      ...FILES,
      ...taskFile({ agent: cheat("echo true > check.sh"), gates: GATES, protect: ["check.sh"] }),
    });
    const { stdout } = await box.converge("run");
    expect(stdout).toContain("protects 1 path");
    expect(stdout).toContain("protected path changed: check.sh (changed); undone");
    expect(stdout).toMatch(/^ {4}\+true$/m);
    expect(stdout).toContain("the agent's version is saved: converge diff last 1 --undone");
  });
});
