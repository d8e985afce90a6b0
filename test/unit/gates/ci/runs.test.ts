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

const asksFor = (server: GithubServer, end: string) =>
  server.asked.filter(({ path }) => path.endsWith(end)).length;

describe("waiting for runs", () => {
  it("asks again, less and less often, until they are done", async () => {
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

  it("waits for a re-run that has begun, instead of taking the failure before", async () => {
    const server = await green();
    server.runs([{ attempt: 2, status: "queued" }], [{ attempt: 2 }]);
    server.jobs(1, [{}], 2);
    expect(await judge(given(server))).toMatchObject({ status: "passed" });
  });

  it("is no verdict when the time is up, and says what is still running", async () => {
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

  it("has a verdict of its own when none ever do", async () => {
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

  it("says so too when the whole time is shorter than that", async () => {
    const server = await green();
    server.runs([]);
    server.on("actions/workflows", { json: { workflows: [] } });
    const { summary } = await judge({ ...given(server), timeoutMs: 20_000 });
    expect(summary).toMatch(/^no runs for acme\/app, commit c+ after 20 s/);
  });

  it("waits for every workflow that is named, and says which there are when one is not", async () => {
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

  it("says in the log what it waits for", async () => {
    const server = await green();
    const places = folders();
    server.runs([], RUNNING, RUNNING, GREEN);
    const { evidence } = await judge({ ...given(server), in: places });
    const lines = "no runs yet\nCI: in_progress\nCI: success\n";
    expect(evidence.stdout).toBe(lines);
    expect(fs.readFileSync(path.join(places.files, "stdout.log"), "utf8")).toBe(lines);
  });

  it("stops at once when it is cut off while it sleeps", async () => {
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
    expect(asksFor(server, "/actions/runs")).toBe(1);
  });
});

describe("a server that does not answer as hoped", () => {
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

  it.each(limits)("is left alone for as long as it asks: %s", async (_, answer, ms) => {
    const server = await green();
    const clock = quickClock();
    server.on("actions/runs/1/attempts/1/jobs", answer, { json: { total_count: 0, jobs: [] } });
    await judge({ ...given(server), clock });
    expect(clock.slept).toEqual([ms]);
    expect(asksFor(server, "/jobs")).toBe(2);
  });

  it("is no verdict when it asks for longer than there is time", async () => {
    const server = await green();
    const clock = quickClock();
    server.on("actions/runs", { status: 403, headers: { "retry-after": "3600" } });
    const verdict = await judge({ ...given(server), clock });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(/limits the rate for another 3600 s, which exceeds the timeout/);
    expect(clock.slept).toEqual([]);
  });

  it("is asked again after 5xx and broken connections, with growing pauses", async () => {
    const server = await green();
    const clock = quickClock();
    const done = { json: { total_count: 1, jobs: [aJob()] } };
    server.on("actions/runs/1/attempts/1/jobs", { status: 502 }, { drops: true }, { status: 503 }, done);
    expect(await judge({ ...given(server), clock })).toMatchObject({ status: "passed" });
    expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
  });

  it("is given up on when it stays broken", async () => {
    const server = await green();
    server.on("actions/runs", { status: 500, json: { message: "on fire" } });
    const verdict = await judge(given(server));
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(/failed \(HTTP 500: on fire\)/);
    expect(asksFor(server, "/actions/runs")).toBe(6);
  });

  it("is not waited for beyond the time when it says nothing", async () => {
    const server = await green();
    server.on("actions/runs", { hangs: true });
    const verdict = await judge({ ...given(server), clock: systemClock, timeoutMs: 300 });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toMatch(/failed \(no response: timed out after 1 s\)/);
    expect(server.asked).toHaveLength(1);
  });

  it("is given up on when nobody listens", async () => {
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
  ])("says what to do, without asking again: %i", async (status, summary) => {
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
  ])("is not the GitHub API: %s", async (_, answer) => {
    const server = await green();
    server.on("actions/runs", answer);
    expect((await judge(given(server))).summary).toMatch(
      /does not respond like the GitHub API; check "baseUrl"/,
    );
  });

  it("is followed to where a repository has moved, with the token", async () => {
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
    ["without end", "/repos/acme/app/actions/runs"],
    ["off this machine without encryption", "http://192.0.2.1/"],
    ["to a file", "file:///etc/passwd"],
  ])("is not followed %s", async (_, location) => {
    const server = await green();
    server.on("actions/runs", { status: 302, headers: { location } });
    expect((await judge(given(server))).summary).toContain("redirects to a URL that is not allowed");
  });
});

describe("gh, when there is no token", () => {
  beforeEach(() => {
    vi.stubEnv("GITHUB_TOKEN", "");
    vi.stubEnv("GH_TOKEN", "");
    vi.stubEnv("PATH", `${fakeGh()}:${process.env.PATH}`);
  });

  it("asks for us, pages, logs and all", async () => {
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

  it("tells of rate limits and refusals as the API does", async () => {
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

  it("says to log in when nobody is", async () => {
    vi.stubEnv("GH_FAKE", "logged-out");
    expect((await judge(given(await green()))).summary).toMatch(/^\S+ rejected gh .*run "gh auth login"/);
  });

  it("leaves nothing of what it printed", async () => {
    const places = folders();
    await judge({ ...given(await green()), in: places });
    expect(fs.readdirSync(places.files)).toEqual(["stdout.log"]);
  });

  it("is not taken from the workspace, where an agent may have put it", async () => {
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
