import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "#system/clock";
import { folders, temporary } from "../../../support/folders.ts";
import {
  aJob,
  fakeGh,
  type GithubServer,
  githubServer,
  type RunFacts,
} from "../../../support/github-server.ts";
import { quickClock } from "../../../support/quick-clock.ts";
import { given, judge, withToken } from "./ci-judging.ts";

beforeEach(withToken);
afterEach(() => void vi.unstubAllEnvs());

const GREEN: readonly RunFacts[] = [{}];
const RUNNING: readonly RunFacts[] = [{ status: "in_progress" }];

async function green(): Promise<GithubServer> {
  const server = await githubServer();
  server.runs(GREEN);
  server.jobs(1, [{}]);
  return server;
}

const countRequests = (server: GithubServer, end: string) =>
  server.asked.filter(({ path }) => path.endsWith(end)).length;

describe("polling for workflow runs", () => {
  it("polls with growing intervals until the runs are done", async () => {
    const server = await green();
    const clock = quickClock();
    server.runs(
      [{ status: "queued" }],
      ...Array.from({ length: 5 }, () => RUNNING),
      [{ status: "waiting" }],
      GREEN,
    );
    expect(await judge({ ...given(server), clock })).toMatchObject({ status: "passed", durationMs: 251_875 });
    expect(clock.slept).toEqual([10_000, 15_000, 22_500, 33_750, 50_625, 60_000, 60_000]);
  });

  it("waits for the slower of two workflows", async () => {
    const server = await green();
    const slow = { id: 2, workflow: "Slow", workflowId: 11 };
    server.runs([{}, { ...slow, status: "in_progress" }], [{}, { ...slow, conclusion: "failure" }]);
    server.jobs(2, [{ id: 101, conclusion: "failure" }]);
    expect(await judge(given(server))).toMatchObject({
      status: "failed",
      summary: expect.stringMatching(/^Slow failed/),
    });
  });

  it("waits for a queued re-run instead of taking the earlier failure", async () => {
    const server = await green();
    server.runs([{ attempt: 2, status: "queued" }], [{ attempt: 2 }]);
    server.jobs(1, [{}], 2);
    expect(await judge(given(server))).toMatchObject({ status: "passed" });
  });

  it("errors at the timeout and names the runs still in progress", async () => {
    const server = await green();
    const clock = quickClock();
    server.runs(RUNNING);
    const verdict = await judge({ ...given(server), clock, timeoutMs: 60_000 });
    expect(verdict).toMatchObject({ status: "errored", score: 0, durationMs: 60_000 });
    expect(verdict.summary).toBe(
      'still running after 60 s (CI: in_progress); raise "timeout", or check why CI takes so long',
    );
  });

  it("waits for runs to appear", async () => {
    const server = await green();
    server.runs([], [], RUNNING, GREEN);
    expect(await judge(given(server))).toMatchObject({ status: "passed" });
  });

  it("errors when no runs appear within noRuns", async () => {
    const server = await green();
    const clock = quickClock();
    server.runs([]);
    server.on("actions/workflows", {
      json: { workflows: [{ name: "CI", path: ".github/workflows/ci.yml" }] },
    });
    const verdict = await judge({ ...given(server), clock, noRunsMs: 30_000 });
    expect(verdict).toMatchObject({ status: "errored", score: 0, durationMs: 30_000 });
    expect(verdict.summary).toBe(
      `no runs for acme/app, commit ${"c".repeat(40)} after 30 s; push the commit, and check that a workflow runs for it (triggers, branches, paths)`,
    );
  });

  it("errors about missing runs when the timeout is shorter than noRuns", async () => {
    const server = await green();
    server.runs([]);
    server.on("actions/workflows", { json: { workflows: [] } });
    const { summary } = await judge({ ...given(server), timeoutMs: 20_000 });
    expect(summary).toMatch(/^no runs for acme\/app, commit c+ after 20 s/);
  });

  it("waits for every configured workflow and lists the known ones when a name is unknown", async () => {
    const server = await green();
    const workflows = [
      { name: "CI", path: ".github/workflows/ci.yml" },
      { name: "Lint", path: ".github/workflows/lint.yml" },
    ];
    server.on("actions/workflows", { json: { workflows } });
    const known = await judge({ ...given(server), workflows: ["ci.yml", "lint.yml"] });
    expect(known).toMatchObject({ status: "errored" });
    expect(known.summary).toMatch(/^no runs of lint.yml for .* push the commit/);
    const unknown = await judge({ ...given(server), workflows: ["ci.yml", "lnt.yml"] });
    expect(unknown.summary).toContain(
      'unknown workflow "lnt.yml" in acme/app; did you mean "lint.yml"? (known: ci.yml, lint.yml)',
    );
  });

  it("logs each change of status while it waits", async () => {
    const server = await green();
    const places = folders();
    server.runs([], RUNNING, RUNNING, GREEN);
    const { evidence } = await judge({ ...given(server), in: places });
    const lines = "no runs yet\nCI: in_progress\nCI: success\n";
    expect(evidence.stdout).toBe(lines);
    expect(fs.readFileSync(path.join(places.files, "stdout.log"), "utf8")).toBe(lines);
  });

  it("stops at once when aborted during a sleep", async () => {
    const server = await green();
    server.runs(RUNNING);
    const controller = new AbortController();
    const sleeping = quickClock();
    const clock = {
      ...sleeping,
      sleep: async (ms: number) => {
        controller.abort();
        await sleeping.sleep(ms, controller.signal);
      },
    };
    const verdict = await judge({ ...given(server), clock, signal: controller.signal });
    expect(verdict).toMatchObject({ status: "errored", summary: "interrupted before it finished" });
    expect(countRequests(server, "/actions/runs")).toBe(1);
  });
});

describe("requests to a faulty server", () => {
  const limits: readonly [string, object, number][] = [
    ["403 with Retry-After", { status: 403, headers: { "retry-after": "7" } }, 7_000],
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "90" } }, 90_000],
    ["429 with a date", { status: 429, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" } }, 30_000],
    [
      "403 with a reset",
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767225645" } },
      45_000,
    ],
    ["Retry-After: 0", { status: 429, headers: { "retry-after": "0" } }, 1_000],
  ];

  it.each(limits)("wait as long as the rate limit says: %s", async (_, answer, ms) => {
    const server = await green();
    const clock = quickClock();
    server.on("actions/runs/1/attempts/1/jobs", answer, { json: { total_count: 0, jobs: [] } });
    await judge({ ...given(server), clock });
    expect(clock.slept).toEqual([ms]);
    expect(countRequests(server, "/jobs")).toBe(2);
  });

  it("error when the rate limit outlasts the timeout", async () => {
    const server = await green();
    const clock = quickClock();
    server.on("actions/runs", { status: 403, headers: { "retry-after": "3600" } });
    const verdict = await judge({ ...given(server), clock });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(/limits the rate for another 3600 s, which exceeds the timeout/);
    expect(clock.slept).toEqual([]);
  });

  it("retry after 5xx and dropped connections with exponential backoff", async () => {
    const server = await green();
    const clock = quickClock();
    const done = { json: { total_count: 1, jobs: [aJob()] } };
    server.on("actions/runs/1/attempts/1/jobs", { status: 502 }, { drops: true }, { status: 503 }, done);
    expect(await judge({ ...given(server), clock })).toMatchObject({ status: "passed" });
    expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
  });

  it("error after six failed attempts", async () => {
    const server = await green();
    server.on("actions/runs", { status: 500, json: { message: "on fire" } });
    const verdict = await judge(given(server));
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(/failed \(HTTP 500: on fire\)/);
    expect(countRequests(server, "/actions/runs")).toBe(6);
  });

  it("time out when the server does not respond", async () => {
    const server = await green();
    server.on("actions/runs", { hangs: true });
    const verdict = await judge({ ...given(server), clock: systemClock, timeoutMs: 300 });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(/failed \(no response: timed out after 1 s\)/);
    expect(server.asked).toHaveLength(1);
  });

  it("error when the connection is refused", async () => {
    const verdict = await judge({ ...given(await green()), baseUrl: "http://127.0.0.1:1" });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(
      /^the request to 127\.0\.0\.1:1 failed \(no response: .+\); try again later/,
    );
  });

  it.each([
    [401, /^\S+ rejected the token in GITHUB_TOKEN \(HTTP 401: Bad\); set GITHUB_TOKEN to a valid token$/],
    [403, /has no permission to read the actions of acme\/app .*permissions actions:read and checks:read$/],
    [404, /^\S+ has no repository acme\/app, or the token in GITHUB_TOKEN has no access to it; check/],
    [418, /failed \(HTTP 418: Bad\)/],
  ])("say what to do, without a retry, on HTTP %i", async (status, summary) => {
    const server = await green();
    server.on("actions/runs", { status, json: { message: "Bad" } });
    const verdict = await judge(given(server));
    expect(verdict).toMatchObject({ status: "errored", score: 0 });
    expect(verdict.summary).toMatch(summary);
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ["no JSON", { text: "<html>welcome</html>" }],
    ["other JSON", { json: { hello: "world" } }],
  ])("error when the response is not from the GitHub API: %s", async (_, answer) => {
    const server = await green();
    server.on("actions/runs", answer);
    expect((await judge(given(server))).summary).toMatch(
      /does not respond like the GitHub API; check "baseUrl"/,
    );
  });

  it("follow the redirect of a moved repository with the token", async () => {
    const server = await green();
    server.on("actions/runs", { status: 301, headers: { location: "/repos/acme/app/moved?page=1" } });
    server.on("moved", { json: { total_count: 0, workflow_runs: [] } });
    server.on("actions/workflows", { json: { workflows: [] } });
    expect((await judge(given(server))).summary).toMatch(/^no runs/);
    expect(server.asked[1]).toMatchObject({
      path: "/repos/acme/app/moved",
      authorization: expect.stringMatching(/^Bearer /),
    });
  });

  it.each([
    ["in a loop", "/repos/acme/app/actions/runs"],
    ["to http on another host", "http://192.0.2.1/"],
    ["to a file", "file:///etc/passwd"],
  ])("do not follow a redirect %s", async (_, location) => {
    const server = await green();
    server.on("actions/runs", { status: 302, headers: { location } });
    expect((await judge(given(server))).summary).toContain("redirects to a URL that is not allowed");
  });
});

describe("gh as the fallback without a token", () => {
  beforeEach(() => {
    vi.stubEnv("GITHUB_TOKEN", "");
    vi.stubEnv("GH_TOKEN", "");
    vi.stubEnv("PATH", `${fakeGh()}:${process.env.PATH}`);
  });

  it("fetches runs, jobs, annotations and logs", async () => {
    const server = await green();
    server.runs([{ conclusion: "failure" }]);
    server.jobs(1, [
      { conclusion: "failure", step: "Run npm test" },
      { id: 101, name: "build" },
    ]);
    server.annotations(100, [
      { path: "a.js", start_line: 3, annotation_level: "failure", title: "adds", message: "expected 3" },
    ]);
    server.log(100, "2026-01-01T10:00:00.1Z ##[error]not ok 1 - adds");
    expect(await judge(given(server))).toMatchObject({
      status: "failed",
      score: 0.5,
      failures: [
        {
          id: "CI / test",
          message: 'failed at step "Run npm test"; the end of its log:\nerror: not ok 1 - adds',
        },
        { id: "CI / test: adds", location: "a.js:3", message: "expected 3" },
      ],
    });
    expect(new Set(server.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(["token of-gh-alone"]),
    );
  });

  it("handles rate limits and HTTP errors as the API client does", async () => {
    const server = await green();
    const clock = quickClock();
    server.on(
      "actions/runs",
      { status: 403, headers: { "retry-after": "7" } },
      { status: 401, json: { message: "Bad credentials" } },
    );
    const { status, summary } = await judge({ ...given(server), clock });
    expect(status).toBe("errored");
    expect(summary).toMatch(
      /^\S+ rejected gh .*Bad credentials\); run "gh auth login", or set GITHUB_TOKEN$/,
    );
    expect(clock.slept).toEqual([7_000]);
  });

  it("says to log in when gh is logged out", async () => {
    vi.stubEnv("GH_FAKE", "logged-out");
    expect((await judge(given(await green()))).summary).toMatch(/^\S+ rejected gh .*run "gh auth login"/);
  });

  it("leaves no output files of gh", async () => {
    const places = folders();
    await judge({ ...given(await green()), in: places });
    expect(fs.readdirSync(places.files)).toEqual(["stdout.log"]);
  });

  it("is not run from the workspace, where an agent may have placed it", async () => {
    const places = folders();
    const linked = path.join(places.dir, "bin");
    fs.mkdirSync(linked);
    fs.symlinkSync(path.join(fakeGh(), "gh"), path.join(linked, "gh"));
    vi.stubEnv("PATH", `${fakeGh(places.dir)}:${linked}:${temporary()}`);
    const server = await green();
    const verdict = await judge({ ...given(server), in: places });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(
      /^no token: set GITHUB_TOKEN or GH_TOKEN .* or install gh and run "gh auth login"$/,
    );
    expect(server.asked).toEqual([]);
  });
});
