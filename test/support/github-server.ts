// Fake server of the GitHub Actions REST API with a scripted sequence of answers for each path.
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { onTestFinished } from "vitest";
import { temporary } from "./folders.ts";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Creates the JSON body from the query. */
  readonly make?: (query: URLSearchParams) => unknown;
  readonly text?: string;
  /** Accepts the request and never responds. */
  readonly hangs?: true;
  /** Closes the connection instead of answering. */
  readonly drops?: true;
}

export interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
}

export interface RunFacts {
  readonly id?: number;
  readonly workflow?: string;
  readonly file?: string;
  readonly workflowId?: number;
  readonly number?: number;
  readonly attempt?: number;
  readonly status?: string;
  readonly conclusion?: string;
  /** Defaults to the requested commit. */
  readonly commit?: string;
}

export interface JobFacts {
  readonly id?: number;
  readonly name?: string;
  readonly conclusion?: string;
  /** Name of the failed step. */
  readonly step?: string;
}

export interface GithubServer {
  readonly url: string;
  /** Requests to the API, and to the storage that log requests are redirected to. */
  readonly asked: readonly Asked[];
  readonly storage: readonly Asked[];
  /** Scripts the answers of a path, in order; the last one repeats. `path` may end in `?page=2`. */
  on(path: string, ...answers: readonly Answer[]): void;
  /** Scripts the lists of workflow runs, in order; the last one repeats. */
  runs(...lists: readonly (readonly RunFacts[])[]): void;
  jobs(run: number, jobs: readonly JobFacts[], attempt?: number): void;
  annotations(job: number, annotations: readonly object[]): void;
  /** Serves the log of a job through a redirect to another origin. */
  log(job: number, text: string): void;
}

export const COMMIT = "c".repeat(40);
export const REPOSITORY = "acme/app";
const API = `/repos/${REPOSITORY}`;

/** A workflow run as the API lists it. */
export function aRun(facts: RunFacts = {}): object {
  const { workflow = "CI", file = "ci.yml", id = 1, workflowId = 10, status = "completed" } = facts;
  return {
    id,
    name: workflow,
    display_title: "a change",
    path: `.github/workflows/${file}`,
    workflow_id: workflowId,
    head_sha: facts.commit ?? COMMIT,
    head_branch: "main",
    run_number: facts.number ?? 1,
    run_attempt: facts.attempt ?? 1,
    event: "push",
    status,
    conclusion: status === "completed" ? (facts.conclusion ?? "success") : null,
    html_url: `https://github.com/${REPOSITORY}/actions/runs/${id}`,
  };
}

export function aJob({ id = 100, name = "test", conclusion = "success", step }: JobFacts = {}): object {
  return {
    id,
    name,
    status: "completed",
    conclusion,
    check_run_url: `https://api.github.com${API}/check-runs/${id}`,
    html_url: `https://github.com/${REPOSITORY}/actions/runs/1/job/${id}`,
    steps: [
      { name: "Set up job", number: 1, status: "completed", conclusion: "success" },
      ...(step === undefined ? [] : [{ name: step, number: 2, status: "completed", conclusion: "failure" }]),
      { name: "Complete job", number: 9, status: "completed", conclusion: "success" },
    ],
  };
}

type Later = (close: () => void) => void;

function listen(handle: http.RequestListener, later: Later): Promise<string> {
  const server = http.createServer(handle);
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

function send(response: http.ServerResponse, answer: Answer, query: URLSearchParams): void {
  if (answer.drops) return void response.destroy();
  if (answer.hangs) return;
  const body = answer.text ?? JSON.stringify(answer.make?.(query) ?? answer.json ?? {});
  const type = answer.text === undefined ? "application/json; charset=utf-8" : "text/plain";
  response.writeHead(answer.status ?? 200, { "content-type": type, ...answer.headers });
  response.end(body);
}

/** Starts a server that answers as scripted and records the requests. */
async function scripted(otherwise: Answer, later: Later) {
  const scripts = new Map<string, Answer[]>();
  const asked: Asked[] = [];
  const url = await listen((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://server");
    asked.push({ path: pathname, query, authorization: request.headers.authorization });
    const page = query.get("page") ?? "1";
    const script = scripts.get(page === "1" ? pathname : `${pathname}?page=${page}`);
    send(response, (script && script.length > 1 ? script.shift() : script?.[0]) ?? otherwise, query);
  }, later);
  return { url, asked, on: (at: string, ...answers: Answer[]) => void scripts.set(at, answers) };
}

/** Starts the server. It closes when the test finishes, or when `later` calls back. */
export async function githubServer(later: Later = onTestFinished): Promise<GithubServer> {
  const api = await scripted({ status: 404, json: { message: "Not Found" } }, later);
  const storage = await scripted({ status: 404, text: "no such blob" }, later);
  const on: GithubServer["on"] = (at, ...answers) => api.on(`${API}/${at}`, ...answers);
  const paged = (key: string, items: readonly object[]) => ({ total_count: items.length, [key]: items });
  return {
    url: api.url,
    asked: api.asked,
    storage: storage.asked,
    on,
    runs: (...lists) =>
      on(
        "actions/runs",
        ...lists.map((list) => ({
          make: (query: URLSearchParams) => {
            const commit = query.get("head_sha") ?? COMMIT;
            return paged(
              "workflow_runs",
              list.map((facts) => aRun({ commit, ...facts })),
            );
          },
        })),
      ),
    jobs: (run, jobs, attempt = 1) =>
      on(`actions/runs/${run}/attempts/${attempt}/jobs`, { json: paged("jobs", jobs.map(aJob)) }),
    annotations: (job, annotations) => on(`check-runs/${job}/annotations`, { json: annotations }),
    log: (job, text) => {
      storage.on(`/logs/${job}`, { text });
      const location = `${storage.url}/logs/${job}?signature=abc`;
      on(`actions/jobs/${job}/logs`, { status: 302, headers: { location }, text: "" });
    },
  };
}

// Fake of `gh api [--include] URL`: prints like the real one and sends its own token.
const FAKE_GH = `
const [command, ...rest] = process.argv.slice(2);
if (command !== "api") process.exit(2);
if (process.env.GH_FAKE === "logged-out") { console.error("To get started, run: gh auth login"); process.exit(4); }
const response = await fetch(rest.at(-1), { headers: { authorization: "token of-gh-alone" } });
const body = await response.text();
let head = "";
if (rest.includes("--include")) {
  head = "HTTP/2.0 " + response.status + " " + response.statusText + "\\n";
  for (const [name, value] of response.headers) head += name + ": " + value + "\\r\\n";
  head += "\\r\\n";
}
process.stdout.write(head + body);
if (!response.ok) { console.error("gh: Not so (HTTP " + response.status + ")"); process.exitCode = 1; }
`;

/** Creates a folder for PATH with a working fake `gh`. */
export function fakeGh(dir = temporary()): string {
  fs.writeFileSync(path.join(dir, "gh.mjs"), FAKE_GH);
  const script = `#!/bin/sh\nexec "${process.execPath}" "${path.join(dir, "gh.mjs")}" "$@"\n`;
  fs.writeFileSync(path.join(dir, "gh"), script, { mode: 0o755 });
  return dir;
}
