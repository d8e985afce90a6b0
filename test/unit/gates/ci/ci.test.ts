import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ci } from "#gates/ci/ci";
import { gateConformance } from "#testing/gate";
import { folders } from "../../../support/folders.ts";
import { aJob, aRun, type GithubServer, githubServer } from "../../../support/github-server.ts";
import { quickClock } from "../../../support/quick-clock.ts";
import { repository } from "../../../support/repository.ts";
import { given, judge, TOKEN, textIn, withToken } from "./ci-judging.ts";

beforeEach(withToken);
afterEach(() => void vi.unstubAllEnvs());

const LOG = [
  "2026-01-01T10:00:00.1234567Z ##[group]Run npm test",
  "2026-01-01T10:00:01.1234567Z \u001b[31mnot ok\u001b[0m 1 - adds",
  "2026-01-01T10:00:02.1234567Z ##[error]Process completed with exit code 1.",
  "2026-01-01T10:00:03.1234567Z Post job cleanup.",
].join("\n");

describe("the conformance suite", () => {
  const closers: (() => void)[] = [];
  let green: GithubServer;
  let red: GithubServer;
  let silent: GithubServer;

  beforeAll(async () => {
    const later = (close: () => void) => void closers.push(close);
    green = await githubServer(later);
    green.runs([{}]);
    green.jobs(1, [{}]);
    red = await githubServer(later);
    red.runs([{ conclusion: "failure" }]);
    red.jobs(1, [{ conclusion: "failure" }]);
    silent = await githubServer(later);
    silent.on("actions/runs", { hangs: true });
  });
  afterAll(() => closers.forEach((close) => void close()));

  gateConformance(
    "the ci gate",
    {
      folders,
      passes: () => ci("ci", given(green), quickClock()),
      fails: () => ci("ci", given(red), quickClock()),
      errors: () => ci("ci", { ...given(green), tokenEnv: "NO_SUCH_TOKEN" }, quickClock()),
      hangs: () => ci("ci", given(silent)),
    },
    { describe, it, expect },
  );
});

describe("the conclusions of workflow runs", () => {
  it("pass when every workflow succeeded, with the number of jobs", async () => {
    const server = await githubServer();
    server.runs([{}, { id: 2, workflow: "Lint", file: "lint.yml", workflowId: 11 }]);
    server.jobs(1, [{}, { id: 101, name: "build" }]);
    server.jobs(2, [{ id: 102 }]);
    expect(await judge(given(server))).toMatchObject({
      status: "passed",
      score: 1,
      summary: "2 workflows passed with 3 jobs",
      failures: [],
      evidence: { command: `GitHub Actions of acme/app, commit ${"c".repeat(40)}` },
    });
  });

  it("fail when one of two workflows failed; the score is the share of jobs that passed", async () => {
    const server = await githubServer();
    server.runs([{ conclusion: "failure" }, { id: 2, workflow: "Lint", workflowId: 11 }]);
    server.jobs(1, [
      { conclusion: "failure", step: "Run npm test" },
      { id: 101, name: "build" },
      { id: 103, name: "docs", conclusion: "skipped" },
    ]);
    server.jobs(2, [{ id: 102 }, { id: 104 }]);
    expect(await judge(given(server))).toMatchObject({
      status: "failed",
      score: 0.75,
      summary: "CI failed; 3 of 4 jobs passed",
    });
  });

  it.each([
    ["failure", "CI failed"],
    ["timed_out", "CI timed out"],
    ["cancelled", "CI was cancelled"],
    ["action_required", "CI waits for approval"],
    ["startup_failure", "CI failed to start"],
    ["stale", "CI became stale"],
    ["something_new", "CI ended without success (something_new)"],
  ])("fail with a summary for each conclusion: %s", async (conclusion, words) => {
    const server = await githubServer();
    server.runs([{ conclusion }]);
    server.jobs(1, []);
    const verdict = await judge(given(server));
    expect(verdict).toMatchObject({ status: "failed", score: 0, failures: [{ id: "CI" }] });
    expect(verdict.summary).toContain(words);
    expect(verdict.failures[0]?.message).toContain("https://github.com/acme/app/actions/runs/1");
  });

  it.each(["skipped", "neutral"])("pass when another workflow passed: %s", async (conclusion) => {
    const server = await githubServer();
    server.runs([{}, { id: 2, workflow: "Deploy", workflowId: 11, conclusion }]);
    server.jobs(1, [{}, { id: 101, conclusion: "skipped" }]);
    server.jobs(2, [{ id: 102, conclusion }]);
    const verdict = await judge(given(server));
    expect(verdict).toMatchObject({ status: "passed", score: 1 });
    expect(verdict.summary).toMatch(/^1 workflow passed with 1 job; Deploy (was skipped|is neutral)$/);
  });

  it.each([
    ["every run was skipped", [{ conclusion: "skipped" }], [{ conclusion: "skipped" }]],
    ["every run is neutral", [{ conclusion: "neutral" }], [{ conclusion: "neutral" }]],
    ["the run succeeded without a job that ran", [{}], [{ conclusion: "skipped" }]],
  ])("fail as unverified when %s", async (_, runs, jobs) => {
    const server = await githubServer();
    server.runs(runs);
    server.jobs(1, jobs);
    const verdict = await judge(given(server));
    expect(verdict).toMatchObject({ status: "failed", score: 0, failures: [{ id: "nothing was verified" }] });
    expect(verdict.summary).toMatch(/^nothing was verified: no job ran and passed/);
  });

  it("pass when a job with continue-on-error failed, and mention that job", async () => {
    const server = await githubServer();
    server.runs([{}]);
    server.jobs(1, [{}, { id: 101, conclusion: "failure" }]);
    const { status, score, summary } = await judge(given(server));
    expect({ status, score }).toEqual({ status: "passed", score: 1 });
    expect(summary).toContain("1 job failed, as the workflow allows");
  });
});

describe("selecting workflow runs", () => {
  it("takes only the latest attempt of a re-run and reads its jobs", async () => {
    const server = await githubServer();
    server.runs([{ attempt: 1, conclusion: "failure" }, { attempt: 2 }]);
    server.jobs(1, [{ conclusion: "failure" }], 1);
    server.jobs(1, [{}], 2);
    expect(await judge(given(server))).toMatchObject({ status: "passed" });
    expect(server.asked.map(({ path }) => path)).not.toContain(
      "/repos/acme/app/actions/runs/1/attempts/1/jobs",
    );
  });

  it.each([
    ["failed after one that passed", "success", "failure", "failed"],
    ["passed after one that failed", "failure", "success", "passed"],
  ])("takes the newest run of a workflow: %s", async (_, first, second, status) => {
    const server = await githubServer();
    server.runs([
      { id: 1, number: 7, conclusion: second },
      { id: 9, number: 6, conclusion: first },
    ]);
    server.jobs(1, [{ conclusion: second }]);
    server.jobs(9, [{ conclusion: first }]);
    expect(await judge(given(server))).toMatchObject({ status });
  });

  it.each(["ci.yml", ".github/workflows/ci.yml", "CI"])(
    "takes only the configured workflows: %s",
    async (name) => {
      const server = await githubServer();
      server.runs([
        {},
        { id: 2, workflow: "Nightly", file: "nightly.yml", workflowId: 11, conclusion: "failure" },
      ]);
      server.jobs(1, [{}]);
      server.jobs(2, [{ id: 101, conclusion: "failure" }]);
      expect(await judge({ ...given(server), workflows: [name] })).toMatchObject({ status: "passed" });
      expect(await judge({ ...given(server), workflows: [name, "nightly.yml"] })).toMatchObject({
        status: "failed",
      });
    },
  );

  it("ignores runs of another commit, even if the server lists them", async () => {
    const server = await githubServer();
    server.runs([{ commit: "d".repeat(40) }]);
    server.jobs(1, [{}]);
    server.on("actions/workflows", { json: { workflows: [] } });
    expect((await judge(given(server))).summary).toMatch(/^no runs for acme/);
  });

  it("sends the configured branch in the query", async () => {
    const server = await githubServer();
    server.runs([{}]);
    server.jobs(1, [{}]);
    await judge({ ...given(server), branch: "topic/a b" });
    const [{ query } = { query: new URLSearchParams() }] = server.asked;
    expect([query.get("head_sha"), query.get("branch")]).toEqual(["c".repeat(40), "topic/a b"]);
  });

  it("reads all result pages and errors when a page is missing", async () => {
    const server = await githubServer();
    const page = (runs: object[]) => ({ total_count: 2, workflow_runs: runs });
    const next = { link: `<${server.url}/elsewhere>; rel="next", <${server.url}/last>; rel="last"` };
    server.on("actions/runs", { json: page([aRun()]), headers: next });
    server.on("actions/runs?page=2", {
      json: page([aRun({ id: 2, workflowId: 11, conclusion: "failure" })]),
    });
    server.jobs(1, [{}]);
    server.on("actions/runs/2/attempts/1/jobs", {
      json: { total_count: 2, jobs: [aJob()] },
      headers: next,
    });
    server.on("actions/runs/2/attempts/1/jobs?page=2", {
      json: { total_count: 2, jobs: [aJob({ id: 7, name: "second", conclusion: "failure" })] },
    });
    const verdict = await judge(given(server));
    expect(verdict).toMatchObject({ status: "failed", failures: [{ id: "CI / second" }] });
    server.on("actions/runs", { json: page([aRun()]) });
    const partial = await judge(given(server));
    expect(partial).toMatchObject({ status: "errored" });
    expect(partial.summary).toContain("lists 2 entries, but only 1 could be read");
  });
});

describe("the failures of a CI run", () => {
  const failing = async () => {
    const server = await githubServer();
    server.runs([{ conclusion: "failure" }]);
    server.jobs(1, [
      { id: 101, name: "e2e", conclusion: "cancelled" },
      { conclusion: "failure", step: "Run npm test" },
      { id: 102, name: "build" },
    ]);
    server.log(100, LOG);
    server.annotations(100, [
      {
        path: "src/add.js",
        start_line: 3,
        annotation_level: "failure",
        title: "adds",
        message: "expected 3, got \u001b[31m4\u001b[0m",
      },
      { path: "src/sub.js", start_line: 9, annotation_level: "failure", title: null, message: "unused" },
      { path: "src/add.js", start_line: 1, annotation_level: "warning", title: "style", message: "no" },
      {
        path: ".github",
        start_line: 22,
        annotation_level: "failure",
        title: "",
        message: "Process completed with exit code 1.",
      },
    ]);
    return server;
  };

  it("list job, step, annotations with their locations, and the end of the log", async () => {
    const verdict = await judge(given(await failing()));
    expect(verdict.failures).toEqual([
      {
        id: "CI / test",
        message:
          'failed at step "Run npm test"; the end of its log:\nRun npm test\nnot ok 1 - adds\nerror: Process completed with exit code 1.',
      },
      { id: "CI / test: adds", message: "expected 3, got 4", location: "src/add.js:3" },
      { id: "CI / test: src/sub.js", message: "unused", location: "src/sub.js:9" },
      { id: "CI / e2e", message: expect.stringMatching(/^was cancelled/) },
    ]);
  });

  it("are identical when only the timestamps in the log differ", async () => {
    const server = await failing();
    const first = await judge(given(server));
    server.log(100, LOG.replaceAll("2026-01-01T10", "2026-01-02T11"));
    const second = await judge(given(server));
    expect(second.failures).toEqual(first.failures);
  });

  it("quote the end of a long log within the prompt limit and save more of it to the log file", async () => {
    const server = await failing();
    const lines = Array.from({ length: 5_000 }, (_, at) => `2026-01-01T10:00:00.0Z line ${at}`);
    server.log(100, [...lines, "2026-01-01T10:00:00.0Z ##[error]the last word"].join("\n"));
    const places = folders();
    const verdict = await judge({ ...given(server), in: places });
    const message = verdict.failures[0]?.message ?? "";
    expect(message.length).toBeLessThan(500);
    expect(message).toMatch(/line 4999\nerror: the last word$/);
    expect(verdict.evidence.stdout).toContain("line 4990");
    expect(verdict.evidence.stdout?.length).toBeLessThan(4_100);
    expect(textIn(places.files)).toContain("line 3000\n");
  });

  it("save only the end of a huge log", async () => {
    const server = await failing();
    server.log(100, `${"x".repeat(40 * 1024 * 1024)}\n##[error]the last word`);
    const places = folders();
    const verdict = await judge({ ...given(server), in: places });
    expect(verdict.failures[0]?.message).toMatch(/error: the last word$/);
    expect(textIn(places.files).length).toBeLessThan(2 * 1024 * 1024);
  });

  it("explain why logs and annotations could not be read", async () => {
    const server = await failing();
    server.on("actions/jobs/100/logs", { status: 410, json: { message: "Gone" } });
    server.on("check-runs/100/annotations", { status: 403, json: { message: "Resource not accessible" } });
    const verdict = await judge(given(server));
    expect(verdict.status).toBe("failed");
    expect(verdict.failures[0]?.message).toContain("log could not be read");
    expect(verdict.failures[0]?.message).toContain("HTTP 410: Gone");
    expect(verdict.failures[0]?.message).toContain("checks:read");
  });

  it("have locations relative to the workspace when it is a subfolder of the repository", async () => {
    const server = await failing();
    const places = folders();
    repository(places.dir, { "src/add.js": "" });
    const inside = { dir: `${places.dir}/src`, files: places.files };
    const verdict = await judge({ ...given(server), in: inside });
    expect(verdict.failures.map(({ location }) => location)).toContain("add.js:3");
  });
});

describe("the token", () => {
  it("is sent to the API, but not to the redirect target of a log", async () => {
    const server = await githubServer();
    server.runs([{ conclusion: "failure" }]);
    server.jobs(1, [{ conclusion: "failure" }]);
    server.log(100, LOG);
    await judge(given(server));
    expect(new Set(server.asked.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${TOKEN}`]),
    );
    expect(server.storage.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it("is redacted even when the server echoes it", async () => {
    const server = await githubServer();
    const places = folders();
    server.on("actions/runs", { status: 401, json: { message: `Bad credentials ${TOKEN}` } });
    const refused = await judge({ ...given(server), in: places });
    expect(refused.summary).toContain("Bad credentials ***");
    server.runs([{ conclusion: "failure" }]);
    server.jobs(1, [{ conclusion: "failure", name: TOKEN, step: TOKEN }]);
    server.annotations(100, [
      { path: TOKEN, start_line: 1, annotation_level: "failure", title: TOKEN, message: TOKEN },
    ]);
    server.log(100, `${LOG}\n##[error]${TOKEN}`);
    const failed = await judge({ ...given(server), in: places });
    expect(failed.failures).toHaveLength(2);
    expect(JSON.stringify([refused, failed]) + textIn(places.files)).not.toContain(TOKEN);
  });

  it("is rejected without being quoted when it contains invalid characters", async () => {
    vi.stubEnv("GITHUB_TOKEN", `${TOKEN}\nX-Evil: 1`);
    const verdict = await judge(given(await githubServer()));
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toContain("GITHUB_TOKEN contains characters that no token has");
    expect(JSON.stringify(verdict)).not.toContain("SECRET");
  });

  it("is read from GITHUB_TOKEN, then GH_TOKEN, or only from tokenEnv when that is set", async () => {
    const server = await githubServer();
    server.runs([{}]);
    server.jobs(1, [{}]);
    const used = async (tokenEnv?: string) => {
      await judge({ ...given(server), ...(tokenEnv !== undefined && { tokenEnv }) });
      return server.asked.at(-1)?.authorization;
    };
    vi.stubEnv("GH_TOKEN", "second");
    vi.stubEnv("OWN_TOKEN", "third");
    expect(await used()).toBe(`Bearer ${TOKEN}`);
    expect(await used("OWN_TOKEN")).toBe("Bearer third");
    vi.stubEnv("GITHUB_TOKEN", "");
    expect(await used()).toBe("Bearer second");
    const before = server.asked.length;
    const verdict = await judge({ ...given(server), tokenEnv: "NOT_SET_ANYWHERE" });
    expect(verdict.summary).toContain("NOT_SET_ANYWHERE is not set");
    expect(server.asked.length).toBe(before);
  });
});
