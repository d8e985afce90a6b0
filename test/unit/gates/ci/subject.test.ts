import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseRemote } from "#gates/ci/subject";
import { exampleRun, exampleVerdict } from "#testing/run";
import { folders, write } from "../../../support/folders.ts";
import { type GithubServer, githubServer } from "../../../support/github-server.ts";
import { gitIn, repository } from "../../../support/repository.ts";
import { type Judging, judge, withToken } from "./ci-judging.ts";

beforeEach(withToken);
afterEach(() => void vi.unstubAllEnvs());

describe("the repository in a remote URL", () => {
  it.each([
    "https://github.com/acme/app",
    "https://github.com/acme/app.git",
    "https://github.com/acme/app/",
    "https://someone:secret@github.com/acme/app.git",
    "git@github.com:acme/app.git",
    "github.com:acme/app",
    "ssh://git@github.com/acme/app.git",
    "ssh://git@github.com:22/acme/app",
  ])("is read from %s", (url) => {
    expect(parseRemote(url)).toEqual({ host: "github.com", repository: "acme/app" });
  });

  it("may have dots and dashes", () => {
    expect(parseRemote("git@GHE.example.com:a-b/c.d_e.git")).toEqual({
      host: "ghe.example.com",
      repository: "a-b/c.d_e",
    });
  });

  it.each([
    "/srv/git/app.git",
    "../app",
    "file:///srv/acme/app",
    "https://github.com/acme",
    "https://github.com/a/b/c",
    "",
  ])("is undefined for %j", (url) => {
    expect(parseRemote(url)).toBeUndefined();
  });
});

interface Project {
  readonly server: GithubServer;
  readonly in: { readonly dir: string; readonly files: string };
  readonly head: string;
  readonly tree: string;
}

const text = (dir: string, ...args: string[]) => gitIn(dir)(...args).trim();

/** Creates a repository whose HEAD has passed CI. */
async function project(remote = "git@ghe.example.com:acme/app.git"): Promise<Project> {
  const places = folders();
  repository(places.dir, { "a.js": "1", "packages/core/b.js": "2" });
  if (remote) text(places.dir, "remote", "add", "origin", remote);
  const head = text(places.dir, "rev-parse", "HEAD");
  const server = await githubServer();
  server.runs([{ commit: head }]);
  server.jobs(1, [{}]);
  return { server, in: places, head, tree: text(places.dir, "rev-parse", "HEAD^{tree}") };
}

const judged = ({ server, in: places, tree }: Project, more: Judging = {}) =>
  judge({ baseUrl: server.url, in: places, tree, ...more });

describe("the commit that the ci gate judges", () => {
  it("is HEAD, in the repository of the remote", async () => {
    const made = await project();
    expect(await judged(made)).toMatchObject({
      status: "passed",
      evidence: { command: `GitHub Actions of acme/app, commit ${made.head}` },
    });
    expect(made.server.asked[0]?.query.get("head_sha")).toBe(made.head);
  });

  it("fails when its tree differs from the judged files, and names both trees", async () => {
    const made = await project();
    const other = "e".repeat(40);
    const verdict = await judged(made, { tree: other });
    expect(verdict).toMatchObject({ status: "failed", score: 0 });
    expect(verdict.summary).toBe("CI has not seen these files: commit and push them");
    for (const id of [other, made.tree, made.head]) expect(verdict.failures[0]?.message).toContain(id);
    expect(made.server.asked).toEqual([]);
    expect(await judged(made, { tree: other, requireCommitted: false })).toMatchObject({ status: "passed" });
  });

  it("is compared by subtree when the workspace is a subfolder of the repository", async () => {
    const made = await project();
    const inside = { dir: `${made.in.dir}/packages/core`, files: made.in.files };
    const tree = text(made.in.dir, "rev-parse", "HEAD:packages/core");
    expect(await judged(made, { in: inside, tree })).toMatchObject({
      status: "passed",
      evidence: { command: `GitHub Actions of acme/app, folder packages/core, commit ${made.head}` },
    });
    expect(await judged(made, { in: inside })).toMatchObject({ status: "failed" });
  });

  it("ignores git replace refs", async () => {
    const made = await project();
    write(made.in.dir, { "a.js": "evil" });
    text(made.in.dir, "commit", "--quiet", "--all", "--message", "evil");
    const [evil, tree] = text(made.in.dir, "rev-parse", "HEAD", "HEAD^{tree}").split("\n") as [
      string,
      string,
    ];
    text(made.in.dir, "reset", "--quiet", "--soft", made.head);
    text(made.in.dir, "replace", made.head, evil);
    expect(await judged(made, { tree })).toMatchObject({
      status: "failed",
      summary: expect.stringMatching(/not seen/),
    });
  });

  it("is read from the workspace when the gate runs in a clean room", async () => {
    const made = await project();
    const room = folders();
    const verdict = await judged(made, { in: room, run: { dir: made.in.dir } });
    expect(verdict).toMatchObject({ status: "passed" });
  });

  it("may be the tip of a local or a remote-tracking branch", async () => {
    const made = await project();
    text(made.in.dir, "branch", "topic");
    text(made.in.dir, "update-ref", "refs/remotes/origin/fetched", made.head);
    write(made.in.dir, { "later.js": "" });
    text(made.in.dir, "add", "--all");
    text(made.in.dir, "commit", "--quiet", "--message", "later");
    for (const branch of ["topic", "fetched"])
      expect(await judged(made, { branch })).toMatchObject({ status: "passed" });
    expect((await judged(made, { branch: "nonesuch" })).summary).toMatch(/^there is no branch nonesuch/);
  });

  it("may be a given commit, which must exist in the repository", async () => {
    const made = await project();
    expect(await judged(made, { commit: made.head })).toMatchObject({ status: "passed" });
    const { status, summary } = await judged(made, { commit: "a".repeat(40) });
    expect(status).toBe("errored");
    expect(summary).toMatch(/^commit a{40} is not in the workspace's repository/);
  });
});

describe("a workspace that the ci gate cannot judge", () => {
  it.each([
    ["no remote", "", /^the workspace has no git remote "origin"/],
    ["a remote that is a folder", "/srv/app.git", /does not name owner\/name/],
  ])("errors and says to set the repository: %s", async (_, remote, summary) => {
    const verdict = await judged(await project(remote));
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(summary);
    expect(verdict.summary).toContain('set "repository: owner/name"');
  });

  it("errors when the remote is on another host, without showing the password in its URL", async () => {
    const made = await project("https://someone:hunter2@gitlab.example.com/acme/app.git");
    const verdict = await judge({ in: made.in, tree: made.tree });
    expect(verdict.summary).toMatch(/"origin" is on gitlab\.example\.com, but the API is api\.github\.com/);
    expect(JSON.stringify(verdict)).not.toContain("hunter2");
  });

  it("errors and says to commit when there is no commit", async () => {
    const made = await project();
    fs.rmSync(`${made.in.dir}/.git`, { recursive: true });
    gitIn(made.in.dir)("init", "--quiet");
    expect((await judged(made, { repository: "acme/app" })).summary).toMatch(/^the workspace has no commit/);
  });

  it("errors when the remote changes during the run, because an agent may have changed it", async () => {
    const made = await project();
    const first = await judged(made);
    const run = exampleRun([], { baseline: { verdicts: [{ gate: "ci", verdict: first }] } });
    expect(await judged(made, { run: { baseline: run.baseline } })).toMatchObject({ status: "passed" });
    text(made.in.dir, "remote", "set-url", "origin", "git@ghe.example.com:evil/app.git");
    const verdict = await judged(made, { run: { baseline: run.baseline } });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toBe(
      "the run started with GitHub Actions of acme/app, but the workspace now has GitHub Actions of evil/app; restore the repository, or start a new run",
    );
  });

  it("is not compared with verdicts of other gates or verdicts without evidence", async () => {
    const made = await project();
    const verdicts = [
      { gate: "tests", verdict: exampleVerdict({ evidence: { command: "npm test" } }) },
      { gate: "ci", verdict: exampleVerdict({ status: "errored" }) },
    ];
    const { baseline } = exampleRun([], { baseline: { verdicts } });
    expect(await judged(made, { run: { baseline } })).toMatchObject({ status: "passed" });
  });
});
