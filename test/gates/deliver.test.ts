import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "#spec/event";
import type { Delivered } from "#spec/workspace";
import { converge as convergeSdk, sqlite } from "../../src/index.ts";
import { fakeGh, pathWithoutGh } from "../support/gh.ts";
import { runIds, stored } from "../support/observe.ts";
import { gitIn } from "../support/repository.ts";
import { asked } from "../support/run-task.ts";
import { type Answer, ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

const TASK = {
  prompt: "Make n say fixed.",
  agent: { type: "command", command: "echo fixed > n; echo born > fresh; rm -f goes" },
  gates: [{ name: "fixed", command: "grep -q fixed n" }],
  strategy: { type: "fixed", iterations: 1 },
};

interface Project {
  readonly box: Sandbox;
  readonly root: string;
}

const HOOKS = ["pre-commit", "commit-msg", "post-commit", "pre-push", "post-merge", "reference-transaction"];

/** A committed project whose hooks must never run, except in the test's own git. */
function project(task: object, files: Readonly<Record<string, string>> = {}): Project {
  const box = sandbox();
  const text = JSON.stringify({ ...TASK, ...task });
  box.write({ n: "0\n", goes: "1\n", other: "1\n", ...files, "converge.yaml": text });
  box.commitAll();
  const root = path.dirname(box.dir);
  const marker = path.join(root, "hook-ran");
  const hooks = path.join(box.dir, ".git/hooks");
  fs.mkdirSync(hooks, { recursive: true });
  for (const hook of HOOKS) {
    const script = `#!/bin/sh\n[ -z "$CONVERGE_TEST" ] || echo ${hook} >> '${marker}'\n`;
    fs.writeFileSync(path.join(hooks, hook), script, { mode: 0o755 });
  }
  onTestFinished(() => expect(fs.existsSync(marker), "a hook of the user's repository ran").toBe(false));
  return { box, root };
}

function bare({ box, root }: Project): { dir: string; git: ReturnType<typeof gitIn> } {
  const dir = path.join(root, "remote.git");
  box.git("init", "--quiet", "--bare", dir);
  box.git("remote", "add", "origin", dir);
  return { dir, git: gitIn(dir) };
}

const converge = ({ box }: Project, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  box.start(args, { CONVERGE_TEST: "1", ...env }).answer;

function deliveredIn({ events }: Answer): Delivered | undefined {
  return ofType(events(), "run.delivered").at(-1)?.delivered;
}

/** HEAD, branches and index, which branch, patch and pull-request must not change. */
const standing = ({ box }: Project) => [
  box.git("rev-parse", "HEAD", "main"),
  box.git("symbolic-ref", "HEAD"),
  box.git("ls-files", "--stage"),
];

const judgedTree = ({ events }: Answer) => ofType(events(), "snapshot.taken").at(-1)?.snapshot.tree;

describe("deliver: branch", () => {
  it("creates a branch with the judged tree, exits 0, changes nothing else and says what to type", async () => {
    const here = project({ deliver: "branch" });
    here.box.write({ other: "staged\n" });
    here.box.git("add", "other");
    const before = standing(here);
    const answer = await converge(here, ["run", "--json"]);
    expect(answer.code, answer.stderr).toBe(0);
    const [id] = await runIds(here.box);
    const tree = judgedTree(answer);
    expect(deliveredIn(answer)).toEqual({
      type: "branch",
      tree,
      branch: `converge/${id}`,
      commit: expect.any(String),
    });
    expect(here.box.git("rev-parse", `converge/${id}^{tree}`).trim()).toBe(tree);
    expect(here.box.git("log", "--format=%s", `main..converge/${id}`).trim().split("\n")).toEqual([
      "Make n say fixed.",
      `uncommitted changes from before converge run ${id}`,
    ]);
    expect(standing(here)).toEqual(before);
    const { stdout } = await converge(here, ["show"]);
    expect(stdout).toMatch(new RegExp(`delivered +as branch: branch converge/${id}, commit [0-9a-f]{12}`));
    expect(stdout).toContain(`converge deliver ${id} --as commit`);
    const [shown] = await asked<{ run: { delivered: Delivered; head: string } }>(here.box, "show", "last");
    expect(shown?.run.delivered).toEqual(deliveredIn(answer));
    expect(shown?.run.head).toBe(here.box.git("rev-parse", "main").trim());
  });

  it("a worktree run leaves the user's folder unchanged, and git merge takes the work over", async () => {
    const here = project({
      workspace: "worktree",
      deliver: { type: "branch", branch: "agent/fix", message: "fix: n" },
    });
    const answer = await converge(here, ["run"]);
    expect(answer.code, answer.stderr).toBe(0);
    expect(answer.stdout).toContain("delivered as branch: branch agent/fix");
    expect(answer.stdout).toContain("git merge agent/fix");
    expect(here.box.git("status", "--porcelain")).toBe("");
    here.box.git("merge", "--quiet", "agent/fix");
    expect([here.box.read("n"), here.box.exists("goes")]).toEqual(["fixed\n", false]);
    expect(here.box.git("log", "-1", "--format=%s").trim()).toBe("fix: n");
  });

  it("uses the user's git identity, or Converge's when there is none", async () => {
    const here = project({ deliver: "branch" });
    const author = async (config: string) => {
      const file = path.join(here.root, "gitconfig");
      fs.writeFileSync(file, config);
      const answer = await converge(here, ["run", "--json"], {
        GIT_CONFIG_GLOBAL: file,
        GIT_CONFIG_NOSYSTEM: "1",
      });
      const name = here.box
        .git("log", "-1", "--format=%an <%ae> %cn", `${deliveredIn(answer)?.branch}`)
        .trim();
      here.box.git("checkout", "--quiet", "--", ".");
      return name;
    };
    expect(await author("[user]\n\tname = Jo Doe\n\temail = jo@localhost\n")).toBe(
      "Jo Doe <jo@localhost> Jo Doe",
    );
    expect(await author("")).toBe("Converge <converge@localhost> Converge");
  });

  it("does not move an existing branch: delivers under another name, exit 7", async () => {
    const here = project({ deliver: { type: "branch", branch: "taken" } });
    here.box.git("branch", "taken");
    const answer = await converge(here, ["run", "--json"]);
    expect(answer.code).toBe(7);
    const delivered = deliveredIn(answer);
    expect(delivered?.problem).toContain("cannot create the branch taken");
    expect(here.box.git("rev-parse", "taken")).toBe(here.box.git("rev-parse", "main"));
    expect(here.box.git("rev-parse", `${delivered?.branch}^{tree}`).trim()).toBe(judgedTree(answer));
  });

  it("changes only the workspace folder of a repository with a submodule", async () => {
    const here = project(
      {},
      { "pkg/n": "0\n", "pkg/converge.yaml": JSON.stringify({ ...TASK, deliver: "branch" }) },
    );
    const library = path.join(here.root, "library");
    here.box.git("init", "--quiet", library);
    gitIn(library)("commit", "--quiet", "--allow-empty", "--message", "library");
    here.box.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", library, "lib");
    here.box.git("commit", "--quiet", "--message", "submodule");
    const answer = await converge(here, ["run", "pkg/converge.yaml", "--json"]);
    expect(answer.code, answer.stderr).toBe(0);
    const { branch } = deliveredIn(answer) ?? {};
    expect(here.box.git("diff", "--name-only", "main", `${branch}`).trim().split("\n")).toEqual([
      "pkg/fresh",
      "pkg/n",
    ]);
    expect(here.box.git("rev-parse", `${branch}:pkg`).trim()).toBe(judgedTree(answer));
    expect(here.box.git("ls-tree", `${branch}`, "lib")).toMatch(/^160000 commit /);
  });
});

describe("deliver: commit", () => {
  it("commits in place on the checked-out branch", async () => {
    const here = project({ deliver: "commit" });
    const answer = await converge(here, ["run", "--json"]);
    expect(answer.code, answer.stderr).toBe(0);
    expect(deliveredIn(answer)).toMatchObject({
      branch: "main",
      commit: here.box.git("rev-parse", "main").trim(),
    });
    expect(here.box.git("rev-parse", "main^{tree}").trim()).toBe(judgedTree(answer));
    expect(here.box.git("status", "--porcelain")).toBe("");
  });

  it("uses the agent's own commit when it has committed everything", async () => {
    const git = "git -c core.hooksPath=/dev/null -c user.name=a -c user.email=a@localhost";
    const here = project({
      deliver: "commit",
      agent: { type: "command", command: `echo fixed > n; ${git} commit -q -a -m "by the agent"` },
    });
    const answer = await converge(here, ["run", "--json"]);
    expect(answer.code, answer.stderr).toBe(0);
    expect(here.box.git("log", "--format=%s").trim().split("\n")).toEqual(["by the agent", "start"]);
    expect(deliveredIn(answer)?.commit).toBe(here.box.git("rev-parse", "main").trim());
  });

  it("a worktree run fast-forwards the user's branch, or keeps a branch when it has moved, exit 7", async () => {
    const clean = project({ workspace: "worktree", deliver: "commit" });
    const forward = await converge(clean, ["run", "--json"]);
    expect(forward.code, forward.stderr).toBe(0);
    expect([clean.box.read("n"), clean.box.git("status", "--porcelain")]).toEqual(["fixed\n", ""]);
    expect(clean.box.git("rev-parse", "main^{tree}").trim()).toBe(judgedTree(forward));

    const moves = "git -c core.hooksPath=/dev/null -c user.name=u -c user.email=u@localhost";
    const here = project({
      workspace: "worktree",
      deliver: "commit",
      // Meanwhile, the user commits in their own folder.
      gates: [
        { name: "fixed", command: "grep -q fixed n" },
        {
          name: "meanwhile",
          command: `[ -f fresh ] || exit 1; cd "$PROJECT" && echo mine > n && ${moves} commit --quiet --all --message user`,
        },
      ],
    });
    const answer = await converge(here, ["run"], { PROJECT: here.box.dir });
    expect(answer.code, answer.stdout + answer.stderr).toBe(7);
    const [id] = await runIds(here.box);
    expect(answer.stdout).toContain("not delivered as commit: main has moved since the run started");
    expect(answer.stdout).toContain(`git merge converge/${id}`);
    expect(here.box.read("n")).toBe("mine\n");
    expect(here.box.git("log", "-1", "--format=%s", "main").trim()).toBe("user");
    expect(here.box.git("show", `converge/${id}:n`)).toBe("fixed\n");
  });
});

describe("deliver: patch", () => {
  it("works without git and says where the patch is", async () => {
    const box = sandbox();
    box.write({
      n: "0\n",
      "converge.yaml": JSON.stringify({ ...TASK, deliver: { type: "patch", file: "fix.patch" } }),
    });
    const { code, stdout } = await box.converge("run");
    expect(code).toBe(0);
    expect(stdout).toContain(`delivered as patch: ${path.join(box.dir, "fix.patch")}`);
    box.write({ n: "0\n" });
    fs.rmSync(path.join(box.dir, "fresh"));
    box.git("apply", "fix.patch");
    expect([box.read("n"), box.read("fresh")]).toEqual(["fixed\n", "born\n"]);
  });
});

describe("deliver: pull-request", () => {
  const PULL = { deliver: { type: "pull-request", base: "main", message: "--fix n" } };

  it("pushes the branch and opens the pull request with gh", async () => {
    const here = project(PULL);
    const [remote, gh] = [bare(here), fakeGh(here.root)];
    const before = standing(here);
    const answer = await converge(here, ["run", "--json"], { PATH: gh.path });
    expect(answer.code, answer.stderr).toBe(0);
    const [id] = await runIds(here.box);
    const branch = `converge/${id}`;
    expect(deliveredIn(answer)).toMatchObject({ branch, url: "https://host.localhost/pull/1" });
    expect(remote.git("rev-parse", `${branch}^{tree}`).trim()).toBe(judgedTree(answer));
    expect(remote.git("for-each-ref", "--format=%(refname)").trim()).toBe(`refs/heads/${branch}`);
    const body = expect.stringMatching(/^--body-file=\/.*pull-request\.md$/);
    expect(gh.calls()).toEqual([
      ["pr", "view", branch, "--json", "url,state,headRefName"],
      ["pr", "create", `--head=${branch}`, "--base=main", "--title=--fix n", body],
    ]);
    expect(gh.body()).toMatch(/^ {4}.*after 1 iteration \(converge run \w+\)\n\n {4}- fixed: passed/);
    expect(standing(here)).toEqual(before);
  });

  it("pushes the branch without gh and says how to open the pull request, exit 7", async () => {
    const here = project(PULL);
    const remote = bare(here);
    const answer = await converge(here, ["run", "--json"], { PATH: pathWithoutGh(here.root) });
    expect(answer.code, answer.stderr).toBe(7);
    const { branch, problem } = deliveredIn(answer) ?? {};
    expect(problem).toBe(
      `gh is not installed; the branch ${branch} is pushed to origin. Open the pull request where the repository is hosted`,
    );
    expect(remote.git("rev-parse", `${branch}^{tree}`).trim()).toBe(judgedTree(answer));
  });

  it("keeps the branch when the push is refused; converge deliver finishes later", async () => {
    const here = project(PULL);
    const [remote, gh] = [bare(here), fakeGh(here.root)];
    const refusing = path.join(remote.dir, "hooks/pre-receive");
    fs.writeFileSync(refusing, "#!/bin/sh\necho not today >&2\nexit 1\n", { mode: 0o755 });
    const answer = await converge(here, ["run", "--json"], { PATH: gh.path });
    expect(answer.code).toBe(7);
    const { branch, problem } = deliveredIn(answer) ?? {};
    expect(problem).toContain("git cannot push to origin (remote: not today");
    expect(problem).toContain(`git push origin ${branch}`);
    expect(here.box.git("rev-parse", `${branch}^{tree}`).trim()).toBe(judgedTree(answer));
    expect(gh.calls()).toEqual([]);

    fs.rmSync(refusing);
    const again = await converge(here, ["deliver", "last", "--json"], { PATH: gh.path });
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ branch, url: "https://host.localhost/pull/1" });
    expect(here.box.git("branch", "--list", "converge/*").trim()).toBe(branch);
    const events = await stored(here.box);
    expect(events.map(({ type }) => type).slice(-3)).toEqual(["run.delivered", "run.ended", "run.delivered"]);
    const [shown] = await asked<{ state: string; run: { delivered: Delivered } }>(here.box, "show", "last");
    expect(shown).toMatchObject({
      state: "converged",
      run: { delivered: { url: "https://host.localhost/pull/1" } },
    });
  });

  it("never force-pushes over other work on a remote branch of that name", async () => {
    const here = project({ deliver: { type: "pull-request", branch: "theirs" } });
    const [remote, gh] = [bare(here), fakeGh(here.root)];
    here.box.git("commit", "--quiet", "--allow-empty", "--message", "elsewhere");
    here.box.git("push", "--quiet", "origin", "HEAD:refs/heads/theirs");
    here.box.git("reset", "--quiet", "--hard", "HEAD^");
    const before = remote.git("rev-parse", "theirs");
    const answer = await converge(here, ["run", "--json"], { PATH: gh.path });
    expect(answer.code).toBe(7);
    expect(deliveredIn(answer)?.problem).toMatch(/git cannot push to origin .*rejected/);
    expect(remote.git("rev-parse", "theirs")).toBe(before);
  });

  it("reports gh's error and keeps the pushed branch", async () => {
    const here = project(PULL);
    const [remote, gh] = [bare(here), fakeGh(here.root)];
    gh.refuse("GraphQL: \u001b[31mNo permission\u001b[0m\n");
    const answer = await converge(here, ["run", "--json"], { PATH: gh.path });
    expect(answer.code).toBe(7);
    const { problem, branch } = deliveredIn(answer) ?? {};
    expect(problem).toBe(
      `gh cannot open a pull request (GraphQL: No permission); the branch ${branch} is pushed to origin. Open it with: gh pr create --head ${branch}`,
    );
    expect(remote.git("rev-parse", `${branch}`)).toBe(here.box.git("rev-parse", `${branch}`));
  });

  it("a kill between opening the pull request and recording it leaves one pull request after a resume", async () => {
    const here = project(PULL);
    const [remote, gh] = [bare(here), fakeGh(here.root)];
    gh.kill();
    const killed = await converge(here, ["run", "--json"], { PATH: gh.path });
    expect(killed.code).toBe(null);
    expect(deliveredIn(killed)).toBeUndefined();
    const answer = await converge(here, ["resume", "last", "--json"], { PATH: gh.path });
    expect(answer.code, answer.stderr).toBe(0);
    expect(deliveredIn(answer)?.url).toBe("https://host.localhost/pull/1");
    expect(gh.calls().map(([, verb]) => verb)).toEqual(["view", "create", "view"]);
    expect(here.box.git("branch", "--list", "converge/*").trim().split("\n")).toHaveLength(1);
    expect(remote.git("rev-list", "--count", `${deliveredIn(answer)?.branch}`).trim()).toBe("2");
  });
});

describe("a kill between the delivery and its event", () => {
  /** Deletes all events from the first of this type on, as after a kill at that moment. */
  async function forget({ box }: Project, from: RunEvent["type"]): Promise<void> {
    const events = await stored(box);
    const kept = events.slice(
      0,
      events.findIndex(({ type }) => type === from),
    );
    for (const end of ["", "-wal", "-shm"])
      fs.rmSync(path.join(box.home, `converge.db${end}`), { force: true });
    const store = sqlite(path.join(box.home, "converge.db"));
    await store.append(kept[0]?.run ?? "", 0, kept);
    await store.close();
  }

  it.each([
    { deliver: "branch", workspace: "in-place" },
    { deliver: "branch", workspace: "worktree" },
    { deliver: "commit", workspace: "in-place" },
    { deliver: "commit", workspace: "worktree" },
    { deliver: { type: "patch", file: "../fix.patch" }, workspace: "in-place" },
  ])("a resumed run finds the earlier delivery: %o", async (how) => {
    const here = project(how);
    here.box.write({ other: "not committed\n" });
    const first = await converge(here, ["run", "--json"]);
    expect(first.code, first.stderr).toBe(0);
    const before = [
      here.box.git("show-ref"),
      here.box.git("status", "--porcelain"),
      here.box.git("log", "--format=%H %s"),
    ];
    await forget(here, "run.delivered");
    const again = await converge(here, ["resume", "last", "--json"]);
    expect(again.code, again.stderr).toBe(0);
    expect(deliveredIn(again)).toEqual(deliveredIn(first));
    expect([
      here.box.git("show-ref"),
      here.box.git("status", "--porcelain"),
      here.box.git("log", "--format=%H %s"),
    ]).toEqual(before);
  });

  it("does not deliver again when the delivery was recorded", async () => {
    const here = project({ deliver: "branch" });
    await converge(here, ["run", "--json"]);
    await forget(here, "run.ended");
    const again = await converge(here, ["resume", "last", "--json"]);
    expect(again.code, again.stderr).toBe(0);
    expect(again.events().map(({ type }) => type)).toEqual(["run.resumed", "run.ended"]);
  });
});

describe("delivery through the SDK", () => {
  it("delivers as the task asks", async () => {
    const { box } = project({});
    const { outcome, run } = await convergeSdk(
      { ...TASK, deliver: "branch" },
      { cwd: box.dir, home: box.home },
    );
    expect({ outcome, delivered: run.delivered }).toMatchObject({
      outcome: "converged",
      delivered: { type: "branch", branch: `converge/${run.id}`, tree: run.ended?.tree },
    });
    expect(box.git("show", `converge/${run.id}:n`)).toBe("fixed\n");
  });
});

const RED = { gates: [{ name: "never", command: "exit 1" }] };

describe("a red run", () => {
  it("is not delivered", async () => {
    const here = project({ ...RED, deliver: "branch" });
    const answer = await converge(here, ["run", "--json"]);
    expect(answer.code).toBe(1);
    expect(deliveredIn(answer)).toBeUndefined();
    expect(here.box.git("branch", "--list").trim()).toBe("* main");
    const refused = await converge(here, ["deliver", "last"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/ended as diverged: its gates are red; deliver it anyway with --when-red/);
    expect(here.box.git("branch", "--list").trim()).toBe("* main");
    const later = await converge(here, ["deliver", "last", "--when-red"]);
    expect(later.code, later.stderr).toBe(0);
    expect(here.box.git("branch", "--list").trim().split("\n")).toHaveLength(2);
  });

  it("delivers the last judged files of a stopped run, but not while it works", async () => {
    const command = 'if [ "$CONVERGE_ITERATION" = 1 ]; then echo fixed > n; else echo half > n; sleep 60; fi';
    const here = project({
      ...RED,
      agent: { type: "command", command },
      strategy: { type: "fixed", iterations: 2 },
    });
    const running = here.box.start(["run", "--json"]);
    await running.until(/"iteration\.started".*"iteration":2/);
    const busy = await converge(here, ["deliver", "last", "--as", "branch", "--when-red"]);
    expect(busy.code).toBe(2);
    expect(busy.stderr).toMatch(/the workspace .* is in use by run/);
    await converge(here, ["stop", "last"]);
    expect((await running.answer).code).toBe(130);
    const { code, stdout } = await converge(here, [
      "deliver",
      "last",
      "--as",
      "branch",
      "--when-red",
      "--json",
    ]);
    expect(code).toBe(0);
    const { branch, tree } = JSON.parse(stdout) as Delivered;
    expect(here.box.git("show", `${branch}:n`)).toBe("fixed\n");
    expect(here.box.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
  });

  it("is delivered with whenRed, and stays red", async () => {
    const here = project({ ...RED, deliver: { type: "branch", whenRed: true } });
    const answer = await converge(here, ["run", "--json"]);
    expect(answer.code).toBe(1);
    expect(here.box.git("show", `${deliveredIn(answer)?.branch}:n`)).toBe("fixed\n");
  });
});

describe("converge deliver", () => {
  it("delivers later, in any way, and the run records the last delivery", async () => {
    const here = project({});
    expect((await converge(here, ["run", "--json"])).code).toBe(0);
    const [id] = await runIds(here.box);
    const branch = await converge(here, [
      "deliver",
      "last",
      "--as",
      "branch",
      "--branch",
      "later",
      "--message",
      "fix: later",
    ]);
    expect(branch.code, branch.stderr).toBe(0);
    expect(branch.stdout).toMatch(
      /^delivered as branch: branch later, commit [0-9a-f]{12}\n {2}converge deliver \w+ --as commit/,
    );
    expect(here.box.git("log", "-1", "--format=%s", "later").trim()).toBe("fix: later");
    const patch = await converge(here, [
      "deliver",
      `${id}`,
      "--as",
      "patch",
      "--file",
      "../later.patch",
      "--json",
    ]);
    expect(JSON.parse(patch.stdout)).toMatchObject({
      type: "patch",
      file: path.join(here.root, "later.patch"),
    });
    // Files restored since then are not what the gates passed.
    expect((await converge(here, ["restore", "last", "--iteration", "base"])).code).toBe(0);
    const again = await converge(here, ["deliver", "last", "--as", "patch", "--file", "../again.patch"]);
    expect(again.code, again.stderr).toBe(0);
    expect(fs.readFileSync(path.join(here.root, "again.patch"))).toEqual(
      fs.readFileSync(path.join(here.root, "later.patch")),
    );
    await converge(here, ["restore", "last", "--iteration", "last"]);
    const commit = await converge(here, ["deliver", "last", "--as", "commit"]);
    expect(commit.code, commit.stderr).toBe(0);
    expect(here.box.git("log", "--format=%s").trim().split("\n")).toEqual(["Make n say fixed.", "start"]);
    expect(here.box.git("status", "--porcelain")).toBe("");
    const { stdout } = await converge(here, ["show"]);
    expect(stdout).toMatch(/delivered +as commit: branch main, commit/);
  });

  it("refuses a run that has not ended", async () => {
    const here = project({ ...RED, strategy: "manual" });
    expect((await converge(here, ["run", "--json"])).code).toBe(4);
    const { code, stderr } = await converge(here, ["deliver", "last", "--as", "branch"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/run \w+ has not ended; end it with `converge stop \w+`/);
  });

  it("refuses invalid options and delivers nothing", async () => {
    const refusals: { args: string[]; says: RegExp }[] = [
      { args: [], says: /does not say how to deliver; add --as branch\|commit\|patch\|pull-request/ },
      { args: ["--as", "brunch"], says: /--as: expected branch, commit, patch, pull-request, got "brunch"/ },
      {
        args: ["--as", "branch", "--file", "x"],
        says: /--file has no effect with branch; use it with patch/,
      },
      {
        args: ["--as", "branch", "--branch", "a..b"],
        says: /deliver.branch: "a..b" is not a valid branch name/,
      },
      { args: ["--as", "pull-request"], says: /deliver.remote: .* has no remote "origin"/ },
      { args: ["--as", "patch", "--file", "no/such.patch"], says: /deliver.file: there is no folder/ },
    ];
    const here = project({});
    await converge(here, ["run", "--json"]);
    for (const { args, says } of refusals) {
      const { code, stderr } = await converge(here, ["deliver", "last", ...args]);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toMatch(says);
    }
    expect(ofType(await stored(here.box), "run.delivered")).toEqual([]);
  });
});

describe("a delivery that cannot work", () => {
  const refused = async (box: Sandbox, says: RegExp) => {
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(await runIds(box)).toEqual([]);
    expect(box.read("n")).toBe("0\n");
    expect(fs.existsSync(path.join(box.home, "worktrees"))).toBe(false);
  };

  it.each(["branch", "commit", "pull-request"])(
    "%s is refused without a repository or without a commit",
    async (deliver) => {
      const box = sandbox();
      box.write({ n: "0\n", "converge.yaml": JSON.stringify({ ...TASK, deliver }) });
      await refused(
        box,
        new RegExp(`deliver: ${deliver} needs a git repository, .*use "patch", or run git init`),
      );
      box.git("init", "--quiet");
      await refused(
        box,
        new RegExp(`deliver: ${deliver} starts from HEAD, and .* has no commit yet; commit first`),
      );
    },
  );

  it.each([
    {
      deliver: { type: "branch", branch: "two words" },
      says: /deliver\.branch: "two words" is not a valid branch name/,
    },
    {
      deliver: { type: "branch", branch: "--force" },
      says: /deliver\.branch: "--force" is not a valid branch name/,
    },
    { deliver: { type: "pull-request", base: "-x" }, says: /deliver\.base: "-x" is not a valid branch name/ },
    {
      deliver: { type: "pull-request", remote: "nowhere" },
      says: /has no remote "nowhere"; add it with git remote add/,
    },
    {
      deliver: { type: "patch", file: "no/such.patch" },
      says: /deliver\.file: there is no folder .*no; create it/,
    },
    { deliver: { type: "patch", file: "." }, says: /deliver\.file: .* is not a regular file/ },
  ])("$deliver is refused before anything is written", async ({ deliver, says }) => {
    await refused(project({ deliver }).box, says);
  });
});
