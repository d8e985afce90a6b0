// Conformance suite for agents. Runs with any test runner that has describe, it and expect.
import fs from "node:fs";
import path from "node:path";
import type { Agent, AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { plain } from "#text/plain-text";
import { brokenRules, type TestApi } from "./api.ts";
import { uniqueRun } from "./unique-run.ts";

/** Factories of agents with a given behaviour. Omit a behaviour that your agent cannot have. */
export interface AgentExamples {
  /** Creates two new folders: the workspace, and one outside it for logs. */
  readonly folders: () => Pick<AgentRequest, "dir" | "files">;
  /** Succeeds with `text` as its final message. */
  readonly says?: (text: string) => Agent;
  /** Succeeds with its prompt as its final message. */
  readonly repeatsPrompt?: () => Agent;
  /** Exits with an error. */
  readonly crashes?: () => Agent;
  /** Never exits by itself. Writes the ids of its processes, if any, to the file `pids` of the workspace, one per line. */
  readonly hangs?: () => Agent;
  readonly isNotInstalled?: () => Agent;
}

const MAX_MESSAGE_CHARS = 100_000;
const TIMEOUT_MS = 30_000;

type RequestOptions = Partial<Omit<AgentRequest, "dir" | "files">>;

function problemsOf(result: AgentResult): readonly string[] {
  const { ok, failure, reason, message, usage, durationMs, leftBehind } = result;
  const numbers = Object.values(usage).filter((value) => value !== undefined);
  return brokenRules([
    [ok === (failure === undefined), "failure is set exactly when ok is false"],
    [ok || (reason ?? "").trim() !== "", "a failure has a reason"],
    [message.length <= MAX_MESSAGE_CHARS, `the message has at most ${MAX_MESSAGE_CHARS} characters`],
    [message === plain(message), "the message is plain text"],
    [durationMs >= 0, "the duration is a number of milliseconds"],
    [
      numbers.every((value) => Number.isFinite(value) && value >= 0),
      "usage has only non-negative finite numbers",
    ],
    [Array.isArray(leftBehind), "leftBehind is a list"],
  ]);
}

/** Returns the result; throws unless there is exactly one and it is the last event. */
function resultOf(events: readonly AgentEvent[]): AgentResult {
  const finished = events.filter((event) => event.type === "finished");
  const last = events.at(-1);
  if (finished.length !== 1 || last?.type !== "finished")
    throw new Error(`expected one "finished" as the last event, got ${events.map(({ type }) => type)}`);
  return last.result;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  // A zombie process no longer runs.
  return !(fs.existsSync(stat) && /\) [ZX] /.test(fs.readFileSync(stat, "latin1")));
}

function readPids(dir: string): number[] {
  const file = path.join(dir, "pids");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number) : [];
}

interface Suite extends Pick<TestApi, "it" | "expect"> {
  /** Starts the agent in new folders. */
  start(
    agent: Agent,
    signal: AbortSignal,
    options?: RequestOptions,
  ): { readonly dir: string; readonly result: Promise<AgentResult> };
  run(agent: Agent, options?: RequestOptions): Promise<AgentResult>;
}

function testMessage({ it, expect, start, run }: Suite, says: (text: string) => Agent): void {
  it("yields exactly one result, as its last event", async () => {
    const result = await run(says("All is well."));
    expect(problemsOf(result)).toEqual([]);
    expect({ ok: result.ok, message: result.message }).toEqual({ ok: true, message: "All is well." });
  });

  it("truncates a long message to its end, as plain text", async () => {
    const result = await run(says(`${"very \u001b[31mlong ".repeat(100_000)}the end`));
    expect(problemsOf(result)).toEqual([]);
    expect(result.message.slice(-7)).toEqual("the end");
  });

  it("does nothing when it is already cancelled", async () => {
    const result = await start(says("never said"), AbortSignal.abort()).result;
    expect(problemsOf(result)).toEqual([]);
    expect(result.failure).toEqual("cancelled");
  });
}

function testPrompt({ it, expect, run }: Suite, repeatsPrompt: () => Agent): void {
  for (const prompt of [
    "Mend it.",
    `two lines\nand 'quotes" $HOME \`id\` 日本語 🦊`,
    `-n ${"long ".repeat(1_000)}end`,
  ])
    it(`receives the whole prompt: ${prompt.slice(0, 40)}`, async () => {
      expect((await run(repeatsPrompt(), { prompt })).message).toEqual(prompt);
    });
}

function testFailures({ it, expect, run }: Suite, { crashes, isNotInstalled }: AgentExamples): void {
  if (crashes)
    it("reports a crash as a result", async () => {
      const result = await run(crashes());
      expect(problemsOf(result)).toEqual([]);
      expect({ ok: result.ok, failure: result.failure }).toEqual({ ok: false, failure: "crashed" });
    });

  if (isNotInstalled)
    it("reports that it is not installed", async () => {
      const result = await run(isNotInstalled());
      expect(problemsOf(result)).toEqual([]);
      expect(result.failure).toEqual("not-found");
    });
}

function testKill({ it, expect, start }: Suite, hangs: () => Agent): void {
  it("is killed at its timeout, and leaves no process running", async () => {
    const { dir, result } = start(hangs(), new AbortController().signal, { timeoutMs: 500 });
    const ended = await result;
    expect(problemsOf(ended)).toEqual([]);
    expect(ended.failure).toEqual("timed-out");
    expect(readPids(dir).filter(isAlive)).toEqual([]);
  });

  it("is killed when it is cancelled, and leaves no process running", async () => {
    const controller = new AbortController();
    const { dir, result } = start(hangs(), controller.signal);
    setTimeout(() => controller.abort(), 500);
    const ended = await result;
    expect(problemsOf(ended)).toEqual([]);
    expect(ended.failure).toEqual("cancelled");
    expect(readPids(dir).filter(isAlive)).toEqual([]);
  });
}

export function agentConformance(
  name: string,
  examples: AgentExamples,
  { describe, it, expect }: TestApi,
): void {
  const start: Suite["start"] = (agent, signal, options = {}) => {
    const folders = examples.folders();
    const request = {
      run: uniqueRun(),
      iteration: 1,
      prompt: "Do it.",
      timeoutMs: TIMEOUT_MS,
      ...options,
      ...folders,
    };
    const collect = async () => {
      const events: AgentEvent[] = [];
      for await (const event of agent.run(request, signal)) events.push(event);
      return resultOf(events);
    };
    return { dir: folders.dir, result: collect() };
  };
  const run: Suite["run"] = (agent, options) => start(agent, new AbortController().signal, options).result;
  const suite: Suite = { it, expect, start, run };
  const { says, repeatsPrompt, hangs } = examples;

  describe(`${name} conforms to the agent contract`, () => {
    if (says) testMessage(suite, says);
    if (repeatsPrompt) testPrompt(suite, repeatsPrompt);
    testFailures(suite, examples);
    if (hangs) testKill(suite, hangs);
  });
}
