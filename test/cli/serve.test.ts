import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { beside } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { type Sandbox, type Started, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

interface Api {
  readonly started: Started;
  readonly link: string;
  readonly port: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it.
  ask(target: string, body?: unknown): Promise<{ status: number; json: any }>;
  /** Resolves when the stream contains the text. */
  hears(target: string, what: string): Promise<void>;
}

const linkIn = (text: string) => /http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]+/.exec(text)?.[0] ?? "";

function api(box: Sandbox, started: Started, link: string): Api {
  const { origin, port } = new URL(link);
  const authorization = `Bearer ${fs.readFileSync(path.join(box.home, "server", "token"), "utf8")}`;
  return {
    started,
    link,
    port: Number(port),
    ask: async (target, body) => {
      const response = await fetch(`${origin}/api/v1${target}`, {
        headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      });
      return { status: response.status, json: await response.json() };
    },
    hears: (target, what) =>
      new Promise((resolve, reject) => {
        http
          .get(`${origin}/api/v1${target}`, { headers: { authorization } }, (response) => {
            let text = "";
            response.setEncoding("utf8").on("data", (piece: string) => {
              text += piece;
              if (!text.includes(what)) return;
              resolve();
              response.destroy();
            });
          })
          .on("error", reject);
      }),
  };
}

async function serving(box: Sandbox, ...args: string[]): Promise<Api> {
  const started = box.start(["serve", "--port", "0", ...args]);
  let output = "";
  started.child.stdout?.on("data", (text: string) => {
    output += text;
  });
  await started.until(/Ctrl-C ends the server/);
  return api(box, started, linkIn(output));
}

const TASK = {
  prompt: "Count to two.",
  protect: "off",
  agent: { type: "command", command: "echo $CONVERGE_ITERATION > n" },
  gates: [{ name: "two", command: 'test "$(cat n)" = 2' }],
};

describe("converge serve", () => {
  it("starts a run, streams it until it converges, and accepts the approval that a gate waits for", async () => {
    const box = sandbox();
    const server = await serving(box);
    const task = JSON.stringify({ ...TASK, gates: [...TASK.gates, { name: "review", type: "approval" }] });
    const { status, json } = await server.ask("/runs", { task, dir: box.dir });
    expect([status, json.warnings]).toEqual([201, []]);
    await server.hears(`/runs/${json.id}/stream`, "run.parked");
    expect((await server.ask(`/runs/${json.id}`)).json).toMatchObject({
      state: "waiting",
      actions: ["stop", "steer", "approve"],
    });
    const over = server.hears(`/runs/${json.id}/stream`, '"outcome":"converged"');
    expect((await server.ask(`/runs/${json.id}/approve`, { gate: "review", by: "me" })).json).toEqual({
      heard: true,
    });
    await over;
    expect((await server.ask("/runs?state=converged")).json.runs).toMatchObject([
      { id: json.id, iterations: 2 },
    ]);
    server.started.child.kill("SIGINT");
    expect((await server.started.answer).code).toBe(0);
  });

  it("a killed server leaves its run working, and another server can resume it", async () => {
    const box = sandbox();
    const out = beside(box);
    const command = `echo $$ > ${out.place("pid")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done; echo $CONVERGE_ITERATION > n`;
    const server = await serving(box);
    const task = { ...TASK, agent: { type: "command", command }, limits: { iterations: 1 } };
    const { json } = await server.ask("/runs", { task, dir: box.dir });
    await waitFor(() => out.read("pid") !== "");
    server.started.child.kill("SIGKILL");
    await server.started.answer;
    expect(isAlive(Number(out.read("pid")))).toBe(true);
    out.touch("go");
    const again = await serving(box);
    await again.hears(`/runs/${json.id}/stream`, "run.ended");
    expect((await again.ask(`/runs/${json.id}`)).json).toMatchObject({ state: "diverged", iterations: 1 });
    const refused = await again.ask(`/runs/${json.id}/resume`, { limits: { time: "soon" } });
    expect(refused).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringMatching(/^resume: limits: time/) } },
    });
    expect(await again.ask(`/runs/${json.id}/resume`, { limits: { iterations: 5 } })).toEqual({
      status: 202,
      json: { id: json.id },
    });
    await again.hears(`/runs/${json.id}/stream`, '"outcome":"converged"');
    again.started.child.kill("SIGTERM");
    expect((await again.started.answer).code).toBe(0);
  });

  it("refuses a public host without a token file, and a port in use", async () => {
    const box = sandbox();
    const wide = await box.converge("serve", "--host", "0.0.0.0");
    expect([wide.code, wide.stderr]).toEqual([
      2,
      expect.stringMatching(/--token-file FILE, and put a proxy with TLS in front/),
    ]);
    const { port, started } = await serving(box);
    const taken = await box.converge("serve", "--port", String(port));
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringMatching(/port \d+ is in use/)]);
    started.child.kill("SIGINT");
    const token = path.join(box.dir, "token");
    fs.writeFileSync(token, "t".repeat(32), { mode: 0o600 });
    const open = await serving(box, "--host", "0.0.0.0", "--token-file", token);
    expect(
      (
        await fetch(`http://127.0.0.1:${open.port}/api/v1/runs`, {
          headers: { authorization: `Bearer ${"t".repeat(32)}` },
        })
      ).status,
    ).toBe(200);
    expect((await open.ask("/runs")).status).toBe(401);
    open.started.child.kill("SIGINT");
    const { stdout, stderr } = await open.started.answer;
    expect(stdout).toContain("is not encrypted");
    expect(stdout + stderr).not.toContain("t".repeat(32));
  });
});

describe("converge run --ui", () => {
  it("serves the page during the run and stops with it", async () => {
    const box = sandbox();
    const out = beside(box);
    const agent = `touch ${out.place("begun")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done; echo $CONVERGE_ITERATION > n`;
    const run = box.start(["run", "--ui", "-p", "x", "--agent-cmd", agent, "--gate", 'test "$(cat n)" = 1']);
    let output = "";
    run.child.stderr?.on("data", (text: string) => {
      output += text;
    });
    await waitFor(() => out.exists("begun") && linkIn(output) !== "");
    const server = api(box, run, linkIn(output));
    const [shown] = (await server.ask("/runs")).json.runs;
    expect(shown).toMatchObject({ state: "running" });
    expect((await server.ask(`/runs/${shown.id}/steer`, { text: "hurry" })).json).toEqual({ heard: true });
    out.touch("go");
    expect((await run.answer).code).toBe(0);
    await expect(server.ask("/health")).rejects.toThrow();
  });

  it("continues without the page when the server cannot start", async () => {
    const box = sandbox();
    const args = ["run", "-p", "x", "--agent-cmd", "touch done", "--gate", "test -e done"];
    // A folder in place of the token file makes the server fail.
    fs.mkdirSync(path.join(box.home, "server", "token", "x"), { recursive: true });
    const { code, stderr } = await box.converge(...args, "--ui");
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/the page could not start, the run continues without it/),
    ]);
    const both = await box.converge(...args, "--ui", "--detach");
    expect([both.code, both.stderr]).toEqual([2, expect.stringMatching(/--ui or --detach, not both/)]);
  });
});
