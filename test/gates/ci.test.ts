import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { aJob, fakeGh, type GithubServer, githubServer, type JobFacts } from "../support/github-server.ts";
import { type Ran, ranIn, taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const TOKEN = "ghp_0123456789abcdefSECRET";
const NO_TOKEN = { GITHUB_TOKEN: "", GH_TOKEN: "" };
const COMMIT_ALL = "git add --all && git -c user.name=a -c user.email=a@localhost commit --quiet -m work";

const commits = (content: string) => [{ write: { "a.js": content } }, { run: COMMIT_ALL }];
const agent = (...iterations: object[][]) => ({ type: "scripted", iterations });

/** Polls often and times out soon. */
const CI = { name: "ci", type: "ci", poll: "20ms", timeout: "20s", noRuns: "300ms" };

interface Project {
  readonly box: Sandbox;
  readonly server: GithubServer;
  run(env?: Readonly<Record<string, string>>): Promise<Ran>;
}

/** A repository with a remote, a task with a CI gate, and a fake CI server. */
async function project(
  task: object,
  gate: object = {},
  files: Record<string, string> = {},
): Promise<Project> {
  const server = await githubServer();
  const box = sandbox();
  const gates = [{ ...CI, baseUrl: server.url, ...gate }];
  box.write({ "a.js": "0", ...files, ...taskFile({ gates, ...task }) });
  box.commitAll();
  box.git("remote", "add", "origin", "git@ghe.example.com:acme/app.git");
  const run = async (env: Readonly<Record<string, string>> = { GITHUB_TOKEN: TOKEN }) =>
    ranIn(box, await box.start(["run", "--json"], env).answer);
  return { box, server, run };
}

/** A response with one job. */
const listed = (job: JobFacts) => ({ json: { total_count: 1, jobs: [aJob(job)] } });

const verdicts = ({ events }: Ran) => ofType(events, "gate.judged").map(({ verdict }) => verdict);

/** The bytes of all files in the folder. */
function bytesIn(dir: string): string {
  const entries = fs.readdirSync(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), "latin1")).join("\n");
}

describe("ci", () => {
  it("feeds annotations and logs of a failed run to the agent, and converges on the next commit", async () => {
    const { box, server, run } = await project({ agent: agent(commits("1")) });
    server.runs([{ conclusion: "failure" }], [{ status: "in_progress" }], [{}]);
    server.annotations(100, [
      { path: "a.js", start_line: 7, annotation_level: "failure", title: "adds", message: "expected 3" },
    ]);
    server.log(100, "2026-01-01T10:00:00.1Z ##[error]not ok 1 - adds");
    server.on(
      "actions/runs/1/attempts/1/jobs",
      listed({ conclusion: "failure", step: "Run npm test" }),
      listed({}),
    );
    const ran = await run();
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(verdicts(ran).map(({ status }) => status)).toEqual(["failed", "passed"]);
    expect(ran.prompts[0]).toContain("| CI / test: adds (a.js:7): expected 3");
    expect(ran.prompts[0]).toContain('| CI / test: failed at step "Run npm test"; the end of its log:');
    expect(ran.prompts[0]).toContain("| error: not ok 1 - adds");
    const heads = new Set(server.asked.flatMap(({ query }) => query.get("head_sha") ?? []));
    expect([...heads]).toEqual(box.git("rev-parse", "HEAD~1", "HEAD").trim().split("\n"));
  });

  it("writes the token to no event, output or file", async () => {
    const { box, server, run } = await project({ agent: agent(commits("1")) });
    server.runs([{ conclusion: "failure" }]);
    server.jobs(1, [{ conclusion: "failure", name: `job ${TOKEN}` }]);
    server.log(100, `##[error]Authorization: Bearer ${TOKEN}`);
    const ran = await run();
    expect(ran.events.length).toBeGreaterThan(5);
    expect(server.asked[0]?.authorization).toBe(`Bearer ${TOKEN}`);
    expect(JSON.stringify(ran.events) + ran.stderr).not.toContain(TOKEN);
    expect(bytesIn(path.dirname(box.dir))).toContain("Authorization: Bearer ***");
    expect(bytesIn(path.dirname(box.dir))).not.toContain(TOKEN);
  });

  it("fails files that CI has not seen until they are committed", async () => {
    const { server, run } = await project({ agent: agent([{ write: { "a.js": "1" } }], commits("2")) });
    server.runs([{ conclusion: "failure" }], [{}]);
    server.on("actions/runs/1/attempts/1/jobs", listed({ conclusion: "failure" }), listed({}));
    const ran = await run();
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(verdicts(ran)[1]).toMatchObject({
      status: "failed",
      summary: "CI has not seen these files: commit and push them",
    });
    expect(ran.prompts[1]).toContain(
      "| not committed: CI has not seen these files: the judged files are tree",
    );
  });

  it("is errored without CI runs and says what to do", async () => {
    const { server, run } = await project({
      agent: agent(commits("1")),
      strategy: { type: "fixed", iterations: 1 },
    });
    server.runs([]);
    server.on("actions/workflows", { json: { workflows: [] } });
    const ran = await run();
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
    for (const verdict of verdicts(ran)) {
      expect(verdict).toMatchObject({ status: "errored", score: 0 });
      expect(verdict.summary).toMatch(/^no runs for acme\/app, commit [0-9a-f]{40} .*push the commit/);
    }
  });

  it("waits out a rate limit as the server asks and retries on 5xx", async () => {
    const { server, run } = await project({ agent: agent([]) });
    server.runs([{}]);
    server.on(
      "actions/runs/1/attempts/1/jobs",
      { status: 429, headers: { "retry-after": "1" } },
      { status: 502 },
      listed({}),
    );
    const ran = await run();
    expect(ran).toMatchObject({ code: 0, outcome: "converged" });
    expect(server.asked.filter(({ path: asked }) => asked.endsWith("/jobs"))).toHaveLength(3);
  });

  it.each([
    [401, "rejected the token in GITHUB_TOKEN"],
    [404, "has no repository acme/app, or the token in GITHUB_TOKEN has no access to it"],
  ])("is errored on HTTP %i and says what to do", async (status, words) => {
    const { server, run } = await project({ agent: agent([]), strategy: { type: "fixed", iterations: 1 } });
    server.on("actions/runs", { status, json: { message: "no" } });
    const ran = await run();
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 0 });
    expect(verdicts(ran)[0]).toMatchObject({ status: "errored", summary: expect.stringContaining(words) });
  });

  it("uses gh without a token", async () => {
    const { server, run } = await project({ agent: agent([]) });
    server.runs([{}]);
    server.jobs(1, [{}]);
    const ran = await run({ ...NO_TOKEN, PATH: `${fakeGh()}:${process.env.PATH}` });
    expect(ran).toMatchObject({ code: 0, outcome: "converged" });
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([
      "token of-gh-alone",
      "token of-gh-alone",
    ]);
  });

  it("judges only the named workflow", async () => {
    const { server, run } = await project({ agent: agent([]) }, { workflows: ["ci.yml"] });
    server.runs([
      {},
      { id: 2, workflow: "Nightly", file: "nightly.yml", workflowId: 11, conclusion: "failure" },
    ]);
    server.jobs(1, [{}]);
    expect(await run()).toMatchObject({ code: 0, outcome: "converged" });
  });

  it("ci-pass ends a hybrid run while another gate is red, and only when CI passed", async () => {
    const server = await githubServer();
    const task = {
      agent: agent(commits("1")),
      gates: [
        { ...CI, baseUrl: server.url },
        { name: "red", command: "false" },
      ],
      strategy: { type: "hybrid", completionCriteria: ["ci-pass"], baseIterations: 1 },
    };
    server.runs([{}]);
    server.jobs(1, [{}]);
    const passed = await project(task);
    expect(await passed.run()).toMatchObject({
      code: 6,
      outcome: "converged",
      partial: true,
      reason: "CI passed after iteration 1 (ci)",
    });
    server.runs([{ conclusion: "cancelled" }]);
    const cancelled = await project(task);
    expect(await cancelled.run()).toMatchObject({ code: 1, outcome: "diverged" });
  });

  it("a stop ends a run that waits for CI", async () => {
    const { box, server } = await project({ agent: agent([]) }, { timeout: "10m", poll: "5m" });
    server.runs([{ status: "in_progress" }]);
    const started = box.start(["run", "--json"], { GITHUB_TOKEN: TOKEN });
    await waitFor(() => server.asked.length > 0);
    started.child.kill("SIGINT");
    const { code, events } = await started.answer;
    expect(code).toBe(130);
    expect(ofType(events(), "gate.judged")).toEqual([]);
  });

  it("refuses invalid options with their location when the task is read", async () => {
    const { box } = await project(
      { agent: agent([]) },
      { baseUrl: "http://github.example.com", tokenEnv: TOKEN },
    );
    const { code, stderr, stdout } = await box.converge("validate");
    expect(code).toBe(2);
    expect(stderr).toMatch(/converge\.yaml:\d+:\d+: gates\[0\]\.baseUrl: expected an https address/);
    expect(stderr).toMatch(/converge\.yaml:\d+:\d+: gates\[0\]\.tokenEnv: expected the name/);
    expect(stderr + stdout).not.toContain(TOKEN);
  });
});
