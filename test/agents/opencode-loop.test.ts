// Ralph loops in the real opencode: its server, its sessions and its commands, with a scripted model.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { installOpencode } from "#hooks/install/opencode";
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import { temporary } from "../support/folders.ts";
import type { Turn } from "../support/model-server/script.ts";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";
import { type OpencodeServer, startOpencode } from "../support/opencode-server.ts";
import { waitFor } from "../support/wait.ts";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const PROMISE = "<promise>DONE</promise>";

/** The parts of a model request that the script uses. */
interface Request {
  readonly iteration: number;
  /** The last user message. */
  readonly told: string;
  /** The model's steps since then. */
  readonly steps: number;
}

const TASKS: Readonly<Record<string, (request: Request) => Turn>> = {
  counts: ({ iteration }) => ({
    say: iteration < 4 ? `I must not say ${PROMISE} at ${iteration}.` : `All counted.\n\n${PROMISE}`,
    usage: { input: 1_000, output: 100, cached: 400 },
  }),
  endless: ({ iteration }) => ({ say: `Still at ${iteration}, not DONE.` }),
  gated: ({ iteration, steps }) =>
    iteration === 2 && steps === 0 ? { shell: "touch mended" } : { say: `It is done.\n${PROMISE}` },
  sleeps: ({ iteration, steps }) =>
    iteration === 2 && steps === 0 ? { shell: "sleep 20" } : { say: `Slept ${iteration}.` },
  wakes: ({ iteration, steps, told }) => {
    if (told === "Go on, please.") return { say: "I am back." };
    if (iteration === 2 && steps === 0) return { shell: "sleep 20" };
    return { say: iteration === 3 ? `Done.\n${PROMISE}` : `Here at ${iteration}.` };
  },
  fails: ({ iteration }) => {
    if (iteration === 2 && !failed) {
      failed = true;
      return { error: { kind: "auth" } };
    }
    return { say: iteration === 2 ? `Back again.\n${PROMISE}` : "One." };
  },
  retries: ({ iteration }) =>
    iteration === 2 ? { error: { kind: "overloaded", status: 500 } } : { say: "One." },
  asks: ({ told, steps }) =>
    told.startsWith("[Converge") && steps === 0 ? { say: "I look.", shell: ASKED } : { say: PROMISE },
  literally: () => ({ say: PROMISE }),
};
let failed = false;
/** opencode asks for permission before it runs this. */
const ASKED = "id -u";

function script(_index: number, { body }: { readonly body: string }): Turn {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
  const textOf = (content: unknown) =>
    typeof content === "string" ? content : (content as { text?: string }[]).map(({ text }) => text).join("");
  const last = messages.findLastIndex(({ role }) => role === "user");
  const users = messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
  const all = users.join("\n");
  const iteration = Number([...all.matchAll(/\[Converge: iteration (\d+) of/g)].at(-1)?.[1] ?? 0);
  const task = [...all.matchAll(/TASK:(\w+)/g)].at(-1)?.[1] ?? "";
  const steps = messages.slice(last + 1).filter(({ role }) => role === "assistant").length;
  return TASKS[task]?.({ iteration, told: users.at(-1) ?? "", steps }) ?? { say: "Hello." };
}

let model: ModelServer;
let server: OpencodeServer;
let root: string;

/** The output of `converge show --json`. */
interface Shown {
  readonly state: string;
  readonly progress: Progress;
  readonly run: Run;
}

function converge({ env }: OpencodeServer, ...args: string[]): string {
  const cli = path.join(PACKAGE, "bin", "converge.js");
  return execFileSync(process.execPath, [cli, ...args], { env, encoding: "utf8" });
}

const shown = (run: string, of = server): Shown => JSON.parse(converge(of, "show", run, "--json"));

function runOf(task: string, of: OpencodeServer): string {
  const lines = converge(of, "ls", "--json").split("\n").filter(Boolean);
  const runs = lines.map((line) => JSON.parse(line) as { run: string; prompt: string });
  return runs.find(({ prompt }) => prompt.includes(task))?.run ?? "";
}

/** Waits until the model gets a request with the task and these words. */
const asked = (task: string, words = "") =>
  waitFor(() =>
    model.asked.some(({ body, turn }) => turn !== undefined && body.includes(task) && body.includes(words)),
  );

/** Types /ralph with this task in a new session and waits for the first model request. */
async function ralph(task: string, options = "", of = server) {
  const session = await of.session();
  const answered = of.command(session, "ralph", `"TASK:${task}" ${options}`);
  await asked(`TASK:${task}`);
  const run = runOf(`TASK:${task}`, of);
  return { session, run, answered, toast: (title: string) => of.toast(title, run) };
}

/** The first line of each prompt in the session. */
async function iterationsOf(session: string, of = server): Promise<string[]> {
  return (await of.prompts(session)).map((prompt) => prompt.split("\n")[0] ?? "");
}

const iterations = (count: number, most: number) =>
  Array.from({ length: count }, (_, index) => `[Converge: iteration ${index + 1} of at most ${most}]`);

const WITH_PRICES = {
  provider: {
    scripted: { models: { "scripted-model": { cost: { input: 10, output: 100, cache_read: 1 } } } },
  },
};

beforeAll(async () => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-opencode-")));
  model = await startModelServer(script);
  const plugin = [path.join(PACKAGE, "plugins", "opencode")];
  const config = { ...WITH_PRICES, plugin, permission: { bash: { [ASKED]: "ask" } } };
  // Installed twice, and everything must still happen once.
  installOpencode({ scope: "project", dir: path.join(root, "project"), env: { PATH: "" } });
  server = await startOpencode({ root, model, config });
});

afterAll(async () => {
  await server?.kill();
  await model?.close();
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

test.concurrent("continues three times and ends on the promise, and the run records model and cost", async () => {
  const { session, run, toast } = await ralph("counts to four", "--max-iterations=9");
  expect(await toast("Ralph loop complete")).toMatchObject({ variant: "success" });
  expect(await iterationsOf(session)).toEqual(iterations(4, 9));
  const { state, progress, run: kept } = shown(run);
  expect({ state, iterations: kept.iterations.length, outcome: kept.ended?.outcome }).toEqual({
    state: "converged",
    iterations: 4,
    outcome: "converged",
  });
  expect(kept.iterations[1]?.agent).toMatchObject({
    model: "scripted/scripted-model",
    sessionId: session,
    usage: { inputTokens: 1_000, outputTokens: 100, cachedTokens: 400, costUsd: 0.0164 },
  });
  expect(progress.costUsd).toBeCloseTo(4 * 0.0164);
});

test.concurrent("ends at the last iteration", async () => {
  const { session, run, toast } = await ralph("endless", "--max-iterations 2");
  expect(await toast("Ralph loop stopped")).toMatchObject({
    message: expect.stringContaining("all 2 iterations are used"),
    variant: "warning",
  });
  expect(await iterationsOf(session)).toEqual(iterations(2, 2));
  expect(shown(run).run.ended?.outcome).toBe("diverged");
});

test.concurrent("cancel ends the loop, and the session sends no further iteration", async () => {
  const { session, run, toast } = await ralph("sleeps until it is cancelled");
  await asked("TASK:sleeps until it is cancelled", "iteration 2 of");
  await server.status(session, "busy");
  // Shown as a message on the screen, which opencode reports as an error.
  expect(await server.command(session, "ralph-status")).toBe(500);
  expect((await toast("Ralph loop")).message).toMatch(/^Iteration 2 of 100: TASK:sleeps/);
  expect(await server.command(session, "cancel-ralph")).toBe(500);
  expect((await toast("Ralph loop cancelled")).message).toContain("in iteration 2");
  await server.abort(session);
  await server.status(session, undefined);
  await server.prompt(session, "And now?");
  await server.last(session, ({ info }) => info.finish === "stop");
  expect(await iterationsOf(session)).toEqual([...iterations(2, 100), "And now?"]);
  expect(shown(run).run.ended).toMatchObject({ outcome: "stopped", reason: "cancelled by a person" });
});

test.concurrent("refuses the promise until the gate passes", async () => {
  const { session, run, toast } = await ralph("gated", '--gate "test -e mended"');
  await toast("Ralph loop complete");
  const prompts = await server.prompts(session);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toMatch(/# What is still wrong.*test -e mended/s);
  const { run: kept } = shown(run);
  const passed = kept.iterations.map(({ verdicts }) => verdicts.map(({ verdict }) => verdict.status));
  expect(passed).toEqual([["failed"], ["passed"]]);
});

test.concurrent("keeps two sessions in one folder apart", async () => {
  const tasks = ["counts here", "counts there"];
  const loops = await Promise.all(tasks.map((task) => ralph(task)));
  await Promise.all(loops.map(({ toast }) => toast("Ralph loop complete")));
  for (const [index, { session, run }] of loops.entries()) {
    expect(await iterationsOf(session)).toEqual(iterations(4, 100));
    const told = (await server.prompts(session)).join();
    expect([told.includes(tasks[index] ?? ""), told.includes(tasks[1 - index] ?? "")]).toEqual([true, false]);
    expect(shown(run).run.iterations.map(({ agent }) => agent?.sessionId)).toEqual(Array(4).fill(session));
  }
});

test.concurrent("an abort by the user ends the loop, and the session gets no further prompt", async () => {
  const { session, run, toast } = await ralph("sleeps until it is aborted");
  await asked("TASK:sleeps until it is aborted", "iteration 2 of");
  await server.status(session, "busy");
  await server.abort(session);
  expect((await toast("Ralph loop cancelled")).message).toContain("the turn was aborted");
  // An idle session, so this is an idle event without a turn.
  await server.abort(session);
  await server.prompt(session, "Are you there?");
  await server.last(session, ({ info }) => info.finish === "stop");
  expect(await iterationsOf(session)).toEqual([...iterations(2, 100), "Are you there?"]);
  expect(shown(run).run.ended?.outcome).toBe("stopped");
});

test.concurrent("an abort during opencode's retry backoff ends the loop", async () => {
  const { session, run, toast } = await ralph("retries");
  await server.status(session, "retry");
  await server.abort(session);
  expect((await toast("Ralph loop cancelled")).message).toContain("the turn was aborted");
  expect(await iterationsOf(session)).toEqual(iterations(2, 100));
  expect(shown(run).run.ended?.outcome).toBe("stopped");
});

test.concurrent("a refused permission makes the loop wait for the user's next message", async () => {
  const { session, run, toast } = await ralph("asks");
  await server.refuse(session);
  await waitFor(() =>
    server.toasts.some(({ message }) => message.includes("continues after your next message")),
  );
  expect(shown(run).run.iterations).toHaveLength(1);
  await server.prompt(session, "Then without it.");
  await toast("Ralph loop complete");
  expect(await iterationsOf(session)).toEqual([...iterations(1, 100), "Then without it."]);
});

test.concurrent("a model service error neither ends the loop nor uses up an iteration", async () => {
  const { session, run, toast } = await ralph("fails once");
  expect((await toast("Ralph loop waits")).message).toContain("Incorrect API key");
  await toast("Ralph loop complete");
  const [first, second] = iterations(2, 100);
  expect(await iterationsOf(session)).toEqual([first, second, second]);
  expect(shown(run).run.iterations).toHaveLength(2);
});

test.concurrent("passes the typed task literally and executes nothing in it", async () => {
  const task = [
    "TASK:literally !`touch pwned` and $ARGUMENTS, $1, $&, $$ and {{x}}",
    "---",
    "`touch pwned` @package.json \\n $(touch pwned)",
  ].join("\n");
  const session = await server.session();
  expect(await server.command(session, "ralph", `--max-iterations=3 ${task}`)).toBe(200);
  const told = (await server.prompts(session))[0] ?? "";
  expect(told).toContain(task);
  const request = model.asked.find(({ body, turn }) => turn !== undefined && body.includes("TASK:literally"));
  expect(request?.body).toContain(JSON.stringify(task).slice(1, -1));
  expect(fs.existsSync(path.join(server.project, "pwned"))).toBe(false);
});

test.concurrent("reports mistakes in the command and does not call the model", async () => {
  const session = await server.session();
  const statuses = [
    await server.command(session, "ralph", "TASK:typo --max-iteratons 3"),
    await server.command(session, "ralph", ""),
    await server.command(session, "ralph", "TASK:typo --max-iterations=0"),
    await server.command(session, "cancel-ralph"),
  ];
  expect(statuses).toEqual([500, 500, 500, 500]);
  const wanted = [
    "did you mean --max-iterations?",
    "no task given",
    "expected a number from 1 to 100000",
    "has no loop",
  ];
  await waitFor(() => wanted.every((words) => server.toasts.some(({ message }) => message.includes(words))));
  expect(await server.messages(session)).toEqual([]);
  expect(model.asked.filter(({ body }) => body.includes("TASK:typo"))).toEqual([]);
});

test.concurrent("continues with the agent that the user chose", async () => {
  const session = await server.session();
  await server.command(session, "ralph", '"TASK:counts as a plan"', { agent: "plan" });
  const run = runOf("TASK:counts as a plan", server);
  await server.toast("Ralph loop complete", run);
  const agents = (await server.messages(session)).map(({ info }) => info.agent);
  expect(new Set(agents)).toEqual(new Set(["plan"]));
});

test.concurrent("deleting the session ends its loop", async () => {
  const { session, run, toast } = await ralph("sleeps until it is deleted");
  await asked("TASK:sleeps until it is deleted", "iteration 2 of");
  await server.remove(session);
  expect((await toast("Ralph loop cancelled")).message).toContain("the session was deleted");
  expect(shown(run).run.ended?.outcome).toBe("stopped");
});

test("installed for the user, a loop survives its server and continues after the next message", async () => {
  const own = temporary();
  installOpencode({ scope: "user", dir: own, env: { HOME: path.join(own, "home"), PATH: "" } });
  const again = await startOpencode({ root: own, model });
  onTestFinished(() => again.kill());
  const { session, run } = await ralph("wakes", "", again);
  await asked("TASK:wakes", "iteration 2 of");
  await again.last(session, ({ parts }) => parts.at(-1)?.type === "tool");
  await again.kill();
  expect(shown(run, again).state).toBe("away");
  await again.start();
  // An idle event without a turn.
  await again.abort(session);
  await again.prompt(session, "Go on, please.");
  await again.toast("Ralph loop complete", run);
  const [first, second, third] = iterations(3, 100);
  expect(await iterationsOf(session, again)).toEqual([first, second, "Go on, please.", third]);
  expect(shown(run, again).run.ended?.outcome).toBe("converged");
});
