import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "#agents/cli/claude";
import { type CliOptions, cliAgent } from "#agents/cli/cli-agent";
import { codex } from "#agents/cli/codex";
import type { Driver } from "#agents/shared/driver";
import type { AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { agentConformance } from "#testing/agent";
import { uniqueRun } from "#testing/unique-run";
import { folders, temporary } from "../../../support/folders.ts";
import { transcript } from "../../../support/transcripts.ts";

const grace = { interruptMs: 100, terminateMs: 100 };

/** Writes an executable script that replaces the CLI. */
function program(script: string): string {
  const file = path.join(temporary(), "fake");
  fs.writeFileSync(file, script, { mode: 0o755 });
  return file;
}

/** Writes a program that prints the given output and exits with the given code. */
function prints(stdout: string, { stderr = "", exitCode = 0 } = {}): string {
  const dir = temporary();
  fs.writeFileSync(path.join(dir, "stdout"), stdout);
  fs.writeFileSync(path.join(dir, "stderr"), stderr);
  return program(`#!/bin/sh\ncat ${dir}/stdout\ncat ${dir}/stderr >&2\nexit ${exitCode}\n`);
}

const recorded = ({ name }: Driver, of: string) => {
  const { stdout, stderr, exitCode } = transcript(name, of);
  return prints(stdout, { stderr, exitCode });
};

const WORDS: Record<string, (text: string) => object> = {
  claude: (result) => ({ type: "result", is_error: false, result }),
  codex: (text) => ({ type: "item.completed", item: { type: "agent_message", text } }),
};

const HANGS = `#!/bin/sh
trap '' INT TERM
sleep 1000 &
echo $! >> pids
echo $$ >> pids
wait
sleep 1000
`;

for (const driver of [claude, codex]) {
  const outputLine = (text: string) => `${JSON.stringify(WORDS[driver.name]?.(text))}\n`;
  const repeats = `#!${process.execPath}
const text = require("node:fs").readFileSync(0, "utf8");
const words = ${String(WORDS[driver.name])};
console.log(JSON.stringify(words(text)));
`;
  agentConformance(
    `${driver.title}, as a CLI that a driver describes,`,
    {
      folders,
      says: (text) => cliAgent(driver, { program: prints(outputLine(text)) }),
      repeatsPrompt: () => cliAgent(driver, { program: program(repeats) }),
      crashes: () => cliAgent(driver, { program: recorded(driver, "bad-flag") }),
      hangs: () => cliAgent(driver, { program: program(HANGS), grace }),
      isNotInstalled: () => cliAgent(driver, { program: "no-such-agent-anywhere" }),
    },
    { describe, it, expect },
  );
}

type Ran = AgentResult & { shown: string; files: string };

function runnerOf(agent: ReturnType<typeof cliAgent>) {
  return async (ask: Partial<AgentRequest> = {}): Promise<Ran> => {
    const places = folders();
    const request = {
      run: uniqueRun(),
      iteration: 1,
      prompt: "Do it.",
      timeoutMs: 30_000,
      ...places,
      ...ask,
    };
    const events: AgentEvent[] = [];
    for await (const event of agent.run(request, new AbortController().signal)) events.push(event);
    const last = events.pop();
    if (last?.type !== "finished") throw new Error("no result");
    const shown = events.map((event) => (event.type === "activity" ? event.text : "?")).join("");
    return { ...last.result, shown, files: places.files };
  };
}

const run = (driver: Driver, options: CliOptions) => runnerOf(cliAgent(driver, { grace, ...options }))();

describe("an agent CLI with a driver", () => {
  it("streams text and tool use, and writes a transcript besides the log", async () => {
    const { shown, files, ...result } = await run(claude, { program: recorded(claude, "fixes") });
    expect(shown).toBe("I will fix it.\n> Bash echo fixed > a.txt\nIt is fixed.\n");
    expect(fs.readFileSync(path.join(files, "transcript.log"), "utf8")).toBe(shown);
    expect(fs.readFileSync(path.join(files, "stdout.log"), "utf8")).toBe(
      transcript("claude", "fixes").stdout,
    );
    expect(fs.readFileSync(path.join(files, "prompt.md"), "utf8")).toBe("Do it.\n");
    expect(result).toMatchObject({ ok: true, message: "It is fixed.", model: "claude-sonnet-4-5" });
  });

  it("gets its own arguments, then the user's, and the user's variables", async () => {
    const script = `#!${process.execPath}
const received = { args: process.argv.slice(2), retries: process.env.CLAUDE_CODE_MAX_RETRIES };
console.log(JSON.stringify({ type: "result", result: JSON.stringify(received) }));
`;
    const options = { args: ["--max-turns", "5"], env: { CLAUDE_CODE_MAX_RETRIES: "0" }, model: "opus" };
    const { message } = await run(claude, { program: program(script), ...options });
    const received = JSON.parse(message);
    expect(received.args.slice(-2)).toEqual(["--max-turns", "5"]);
    expect(received.args.join(" ")).toContain("--model opus");
    expect(received.retries).toBe("0");
  });

  it("says how to install and how to log in", async () => {
    expect(await run(claude, { program: "no-such-agent" })).toMatchObject({
      failure: "not-found",
      reason: "no-such-agent: command not found; install it with: npm install -g @anthropic-ai/claude-code",
    });
    const out = await run(codex, { program: recorded(codex, "not-logged-in") });
    expect(out).toMatchObject({ ok: false, failure: "blocked", blockedBy: "login" });
    expect(out.reason).toBe(`Codex: Missing environment variable: \`OPENAI_API_KEY\`.; ${codex.login.how}`);
  });

  it("classifies errors that are only on standard error", async () => {
    const fails = (stderr: string) => run(codex, { program: prints("", { stderr, exitCode: 1 }) });
    expect(await fails("Error: 429 Too Many Requests, retry-after: 3\n")).toMatchObject({
      failure: "rate-limited",
      retryAfterMs: 3_000,
    });
    expect(await fails("first\nSegmentation fault\n")).toMatchObject({
      failure: "crashed",
      reason: "Codex exited with 1: Segmentation fault",
    });
  });

  it("reports its own cost, else one computed from prices, else none", async () => {
    const cost = async (driver: Driver, options: CliOptions) =>
      (await run(driver, { program: recorded(driver, "fixes"), ...options })).usage.costUsd;
    expect(await cost(claude, { prices: { "claude-sonnet-4-5": { input: 9, output: 9 } } })).toBe(0.00465);
    expect(await cost(codex, { model: "gpt-5" })).toBeCloseTo((1_200 * 1.25 + 1_000 * 0.125 + 50 * 10) / 1e6);
    expect(await cost(codex, { model: "mine", prices: { mine: { input: 1, output: 1 } } })).toBeCloseTo(
      2_250 / 1e6,
    );
    expect(await cost(codex, { model: "mine" })).toBeUndefined();
  });

  it("reports at most twenty refusals, one sentence each", async () => {
    const denial = (number: number) => ({
      tool_name: "Write",
      tool_input: { file_path: `${number}\u001b[2J\n${"x".repeat(900)}` },
    });
    const denials = Array.from({ length: 50 }, (_, number) => denial(number));
    const line = JSON.stringify({ type: "result", result: "", permission_denials: denials });
    const { refused = [] } = await run(claude, { program: prints(line) });
    expect(refused).toHaveLength(20);
    for (const sentence of refused)
      expect(sentence).toMatch(/^Claude Code was not allowed to use Write: \d+ x+ .*strict"$/);
  });

  it.each(["--dangerously-skip-permissions", "-x", "a b", "", "a".repeat(500), "a\nb", "../x"])(
    "ignores a session id that is unsafe as an argument: %j",
    async (session_id) => {
      const line = JSON.stringify({ type: "result", result: "", session_id });
      expect(await run(claude, { program: prints(line) })).not.toHaveProperty("sessionId");
    },
  );

  it("counts only the usage of this call in a resumed session", async () => {
    const id = "session-1";
    const counts = (input: number, output: number) => ({
      input_tokens: input,
      cached_input_tokens: 0,
      output_tokens: output,
    });
    const script = program(`#!${process.execPath}
const turns = ${JSON.stringify([counts(1_000, 20), counts(2_500, 50), counts(2_600, 60)])};
const fs = require("node:fs");
const count = fs.existsSync(__filename + ".count") ? Number(fs.readFileSync(__filename + ".count", "utf8")) : 0;
fs.writeFileSync(__filename + ".count", String(count + 1));
console.log(JSON.stringify({ type: "thread.started", thread_id: "${id}" }));
console.log(JSON.stringify({ type: "turn.completed", usage: turns[count] }));
`);
    const ask = runnerOf(cliAgent(codex, { program: script, grace }));
    const used = async (session?: string) => (await ask(session === undefined ? {} : { session })).usage;
    expect(await used()).toMatchObject({ inputTokens: 1_000, outputTokens: 20 });
    expect(await used(id)).toMatchObject({ inputTokens: 1_500, outputTokens: 30, cachedTokens: 0 });
    const another = runnerOf(cliAgent(codex, { program: script, grace }));
    expect((await another({ session: id })).usage).toEqual({});
  });

  it("reports an error that its reader throws as a crash", async () => {
    const broken: Driver = {
      ...claude,
      reader: () => ({
        line: () => {
          throw new Error("a line");
        },
        end: () => {
          throw new Error("the end");
        },
      }),
    };
    expect(await run(broken, { program: prints("one\ntwo\n") })).toMatchObject({
      ok: false,
      failure: "crashed",
      reason: "Claude Code: its output could not be read: the end",
      message: "",
      usage: {},
    });
  });
});
