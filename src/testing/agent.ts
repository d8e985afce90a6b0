// What every agent must keep to; run it against your own with any test runner that has describe, it and expect.
import fs from "node:fs";
import path from "node:path";
import type { Agent, AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { plain } from "#text/plain-text";
import { broken, type TestApi } from "./api.ts";
import { uniqueRun } from "./unique-run.ts";

/** Makes agents that behave in given ways; a way that yours cannot behave is left out. */
export interface AgentExamples {
  /** Two fresh folders: the workspace, and one outside of it for logs. */
  readonly folders: () => Pick<AgentRequest, "dir" | "files">;
  /** Ends well, with `text` as its final message. */
  readonly says?: (text: string) => Agent;
  /** Ends well, and its final message is the prompt it was given. */
  readonly repeatsPrompt?: () => Agent;
  /** Gives up by itself. */
  readonly crashes?: () => Agent;
  /** Never ends by itself. Its process ids, if it has processes, stand in the file `pids` of the workspace, one a line. */
  readonly hangs?: () => Agent;
  readonly isNotInstalled?: () => Agent;
}

const LONGEST_MESSAGE = 100_000;
const SOON_MS = 30_000;

type Ask = Partial<Omit<AgentRequest, "dir" | "files">>;

function problemsOf(result: AgentResult): readonly string[] {
  const { ok, failure, reason, message, usage, durationMs, leftBehind } = result;
  const numbers = Object.values(usage).filter((value) => value !== undefined);
  return broken([
    [ok === (failure === undefined), "a failure is named exactly when it is not ok"],
    [ok || (reason ?? "").trim() !== "", "a failure has a reason"],
    [message.length <= LONGEST_MESSAGE, `the message has at most ${LONGEST_MESSAGE} characters`],
    [message === plain(message), "the message is plain text"],
    [durationMs >= 0, "the duration is a number of milliseconds"],
    [numbers.every((value) => Number.isFinite(value) && value >= 0), "usage is what is known, never a guess"],
    [Array.isArray(leftBehind), "leftBehind lists what was ended"],
  ]);
}

/** The result, when there is exactly one and it comes last. */
function resultOf(events: readonly AgentEvent[]): AgentResult {
  const finished = events.filter((event) => event.type === "finished");
  const last = events.at(-1);
  if (finished.length !== 1 || last?.type !== "finished")
    throw new Error(
      `expected one "finished", as the last event; there were ${events.map(({ type }) => type)}`,
    );
  return last.result;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  // One that is dead and waits to be collected runs no more.
  return !(fs.existsSync(stat) && /\) [ZX] /.test(fs.readFileSync(stat, "latin1")));
}

function pidsIn(dir: string): number[] {
  const file = path.join(dir, "pids");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number) : [];
}

export function agentConformance(
  name: string,
  examples: AgentExamples,
  { describe, it, expect }: TestApi,
): void {
  const start = (agent: Agent, signal: AbortSignal, ask: Ask = {}) => {
    const folders = examples.folders();
    const request = {
      run: uniqueRun(),
      iteration: 1,
      prompt: "Do it.",
      timeoutMs: SOON_MS,
      ...ask,
      ...folders,
    };
    const collect = async () => {
      const events: AgentEvent[] = [];
      for await (const event of agent.run(request, signal)) events.push(event);
      return resultOf(events);
    };
    return { dir: folders.dir, result: collect() };
  };
  const run = (agent: Agent, ask?: Ask) => start(agent, new AbortController().signal, ask).result;
  const { says, repeatsPrompt, crashes, hangs, isNotInstalled } = examples;

  describe(`${name} keeps the contract of an agent`, () => {
    if (says) {
      it("ends with one result, which is the last event", async () => {
        const result = await run(says("All is well."));
        expect(problemsOf(result)).toEqual([]);
        expect({ ok: result.ok, message: result.message }).toEqual({ ok: true, message: "All is well." });
      });

      it("keeps the end of a message that is too long, as plain text", async () => {
        const result = await run(says(`${"very \u001b[31mlong ".repeat(100_000)}the end`));
        expect(problemsOf(result)).toEqual([]);
        expect(result.message.slice(-7)).toEqual("the end");
      });

      it("does nothing when it is cancelled beforehand", async () => {
        const result = await start(says("never said"), AbortSignal.abort()).result;
        expect(problemsOf(result)).toEqual([]);
        expect(result.failure).toEqual("cancelled");
      });
    }

    if (repeatsPrompt)
      for (const prompt of [
        "Mend it.",
        `two lines\nand 'quotes" $HOME \`id\` 日本語 🦊`,
        `-n ${"long ".repeat(1_000)}end`,
      ])
        it(`gets the whole prompt: ${prompt.slice(0, 40)}`, async () => {
          expect((await run(repeatsPrompt(), { prompt })).message).toEqual(prompt);
        });

    if (crashes)
      it("tells of a crash as data", async () => {
        const result = await run(crashes());
        expect(problemsOf(result)).toEqual([]);
        expect({ ok: result.ok, failure: result.failure }).toEqual({ ok: false, failure: "crashed" });
      });

    if (isNotInstalled)
      it("says so when it is not installed", async () => {
        const result = await run(isNotInstalled());
        expect(problemsOf(result)).toEqual([]);
        expect(result.failure).toEqual("not-found");
      });

    if (hangs) {
      it("is ended at its time limit, and nothing is left running", async () => {
        const { dir, result } = start(hangs(), new AbortController().signal, { timeoutMs: 500 });
        const ended = await result;
        expect(problemsOf(ended)).toEqual([]);
        expect(ended.failure).toEqual("timed-out");
        expect(pidsIn(dir).filter(isAlive)).toEqual([]);
      });

      it("is ended when it is cancelled, and nothing is left running", async () => {
        const controller = new AbortController();
        const { dir, result } = start(hangs(), controller.signal);
        setTimeout(() => controller.abort(), 500);
        const ended = await result;
        expect(problemsOf(ended)).toEqual([]);
        expect(ended.failure).toEqual("cancelled");
        expect(pidsIn(dir).filter(isAlive)).toEqual([]);
      });
    }
  });
}
