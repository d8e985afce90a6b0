// Undoing a change restores the file and the user's index entry, and every view reports it.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

const TEST = "test/x.test";

/** A project with an older version of its test in the history, and an agent that cheats first. */
function project(trick: string, task: object = {}): Sandbox {
  const box = sandbox();
  box.write({ lib: "wrong\n", [TEST]: "old\n", other: "1\n" });
  box.commitAll("old");
  box.git("tag", "old");
  box.write({ [TEST]: "asks for right\n" });
  box.commitAll("new test");
  const agent = `git() { command git -c user.name=a -c user.email=a@b "$@"; }
if [ "$CONVERGE_ITERATION" = 1 ]; then ${trick}; else echo right > lib; fi`;
  box.write({
    "converge.yaml": JSON.stringify({
      prompt: "Fix it.",
      agent: { type: "command", command: agent },
      gates: [{ name: "check", command: `grep -q asks ${TEST} && grep -q right lib` }],
      protect: ["test/**"],
      ...task,
    }),
  });
  return box;
}

const staged = (box: Sandbox) => box.git("ls-files", "-s", "test", "other", "lib");

async function cheated(box: Sandbox) {
  const answer = await box.converge("run", "--json");
  const events = ofType(answer.events(), "protected.changed");
  expect(answer.code, answer.stderr).toBe(0);
  return events;
}

describe("the user's index", () => {
  it.each([
    ["takes an old version out of the history", `git checkout -q old -- ${TEST}`],
    ["removes a test", `git rm -q ${TEST}`],
    ["stages an edit", `echo true > ${TEST}; git add -A test`],
    [
      "stages an edit and puts the file back itself",
      `echo true > ${TEST}; git add ${TEST}; echo "asks for right" > ${TEST}`,
    ],
    ["takes a test out of the index", `git rm -q --cached ${TEST}`],
  ])("is restored when the agent %s", async (_, trick) => {
    const box = project(trick);
    const before = staged(box);
    const [event] = await cheated(box);
    expect(event?.staged).toEqual([TEST]);
    expect(event?.changes.map((change) => change.path)).toEqual([TEST]);
    expect(staged(box)).toBe(before);
    expect(box.read(TEST)).toBe("asks for right\n");
    // A plain commit afterwards contains the fix.
    box.git("commit", "-qam", "the fix");
    expect(box.git("diff", "--name-only", "HEAD~1", "HEAD").trim()).toBe("lib");
  });

  it("keeps the entries that the user and the agent staged besides", async () => {
    const box = project(`git reset -q --hard; echo 2 > other; git add other; git checkout -q old -- ${TEST}`);
    box.write({ [TEST]: "asks for right, staged\n" });
    box.git("add", TEST);
    const before = box.git("ls-files", "-s", "test");
    await cheated(box);
    expect(box.git("ls-files", "-s", "test")).toBe(before);
    expect(box.git("show", ":other")).toBe("2\n");
  });

  it("is left alone when the agent stages an unchanged protected file", async () => {
    const box = project(`git add -A test; git add ${TEST}`);
    box.write({ [TEST]: "asks for right, not committed\n", "test/new.test": "mine\n" });
    expect(await cheated(box)).toEqual([]);
    expect(box.git("show", ":test/new.test")).toBe("mine\n");
  });

  it("is restored in a subfolder of the repository, after waiting for the index lock", async () => {
    const box = project(`true`);
    const inner = path.join(box.dir, "packages/a");
    fs.mkdirSync(path.join(inner, "test"), { recursive: true });
    fs.writeFileSync(path.join(inner, "lib"), "wrong\n");
    fs.writeFileSync(path.join(inner, "test/x.test"), "asks\n");
    box.git("add", "packages");
    box.git("commit", "-qm", "package");
    const lock = path.join(box.dir, ".git/index.lock");
    const agent = `if [ "$CONVERGE_ITERATION" = 1 ]; then git rm -q test/x.test; touch '${lock}'; else echo right > lib; fi`;
    fs.writeFileSync(
      path.join(inner, "task.yaml"),
      JSON.stringify({
        prompt: "Fix it.",
        workspace: { dir: "." },
        agent: { type: "command", command: agent },
        gates: [{ name: "check", command: "grep -q asks test/x.test && grep -q right lib" }],
        protect: ["test/**"],
      }),
    );
    const before = box.git("ls-files", "-s", "packages", "test");
    const { answer: ended, until } = box.start(["run", "packages/a/task.yaml", "--json"]);
    await until(/"agent.finished"/);
    fs.rmSync(lock);
    const answer = await ended;
    expect(answer.code, answer.stderr).toBe(0);
    expect(ofType(answer.events(), "protected.changed")[0]).toMatchObject({ staged: [TEST] });
    expect(box.git("ls-files", "-s", "packages", "test")).toBe(before);
  });
});

describe("an index that stays locked", () => {
  it("prints a warning with the command to type", async () => {
    const box = project(`git rm -q ${TEST}; touch .git/index.lock`);
    const { stdout } = await box.converge("run");
    expect(stdout.replace(/\s+/g, " ")).toMatch(
      /still staged in the git index: .*index\.lock.*git reset -- test\/x\.test/,
    );
    expect(box.read(TEST)).toBe("asks for right\n");
  });
});

describe("a cheat that the agent committed", () => {
  it("stays in its commit, which show names", async () => {
    const box = project(`echo true > ${TEST}; git commit -qam cheat`);
    const [event] = await cheated(box);
    const commit = box.git("rev-parse", "HEAD").trim();
    expect(event?.commit).toBe(commit);
    expect(box.git("show", `:${TEST}`)).toBe("asks for right\n");
    const shown = await box.converge("show", "last");
    expect(shown.stdout.replace(/\s+/g, " ")).toContain(
      `the agent's commit ${commit.slice(0, 12)} still contains the change`,
    );
  });
});

describe("an undone change", () => {
  it("is shown by the terminal, show, diff and the report", async () => {
    const box = project(`git rm -q ${TEST}; echo note > notes`);
    const ran = await box.converge("run");
    expect(ran.stdout).toContain("the agent's version is saved: converge diff last 1 --undone");
    const undone = await box.converge("diff", "last", "1", "--undone");
    expect(undone.stdout).toMatch(/^diff --git a\/test\/x.test b\/test\/x.test\ndeleted file/);
    expect(undone.stdout).toMatch(/^-asks for right$/m);
    expect(undone.stdout).not.toContain("notes");
    expect((await box.converge("diff", "last", "--undone")).stdout).toBe(undone.stdout);
    const diff = await box.converge("diff", "last", "1");
    expect(diff.stdout).toContain("+note");
    expect(diff.stderr).toMatch(
      /^undone in iteration 1: test\/x.test \(deleted\)\. .*converge diff \w+ 1 --undone$/m,
    );
    const shown = await box.converge("show", "last");
    expect(shown.stdout).toContain("undone in iteration 1: test/x.test (deleted)");
    const report = await box.converge("report", "last", "--md", "-");
    expect(report.stdout).toMatch(/restored before the gates judged: `test.x.test`.*--undone/);
  });

  it("diff --undone is refused for an iteration without one", async () => {
    const box = project("true");
    await cheated(box);
    const undone = await box.converge("diff", "last", "2", "--undone");
    expect(undone.code).toBe(2);
    expect(undone.stderr).toContain("nothing was undone in iteration 2");
  });

  it("diff --undone shows an ignored file from the recorded diff", async () => {
    const box = project("echo cheat > test/gold.out");
    box.write({ ".gitignore": "*.out\n", "test/gold.out": "gold\n" });
    await cheated(box);
    const undone = await box.converge("diff", "last", "1", "--undone");
    expect(undone.stdout).toMatch(/^-gold$/m);
    expect(undone.stdout).toMatch(/^\+cheat$/m);
  });
});
