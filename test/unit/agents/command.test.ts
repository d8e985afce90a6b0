import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type CommandAgentOptions, command } from "#agents/command-agent";
import type { AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { LOG_BYTES } from "#system/processes/sink";
import { agentConformance } from "#testing/agent";
import { folders, numbersIn } from "../../support/folders.ts";
import { isAlive } from "../../support/processes.ts";

const grace = { interruptMs: 100, terminateMs: 100 };
const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/agents/${name}.sh`, import.meta.url));

agentConformance(
  "the command agent",
  {
    folders,
    says: (text) => {
      // The text is too long for an argument.
      const file = path.join(folders().files, "text");
      fs.writeFileSync(file, text);
      return command({ command: ["cat", file] });
    },
    repeatsPrompt: () => command({ command: "cat" }),
    crashes: () => command({ command: fixture("crashes") }),
    hangs: () => command({ command: fixture("hangs"), grace }),
    isNotInstalled: () => command({ command: "no-such-agent-anywhere --yes" }),
  },
  { describe, it, expect },
);

interface RunOptions extends CommandAgentOptions {
  readonly in?: { dir: string; files: string };
  readonly ask?: Partial<AgentRequest>;
}

async function run({
  in: places = folders(),
  ask = {},
  ...options
}: RunOptions): Promise<AgentResult & { shown: string }> {
  const request = {
    run: "agent-test",
    iteration: 1,
    prompt: "Do it.",
    timeoutMs: 30_000,
    ...places,
    ...ask,
  };
  const events: AgentEvent[] = [];
  for await (const event of command({ grace, ...options }).run(request, new AbortController().signal))
    events.push(event);
  const last = events.pop();
  if (last?.type !== "finished") throw new Error("no result");
  return {
    ...last.result,
    shown: events.map((event) => (event.type === "activity" ? event.text : "?")).join(""),
  };
}

describe("the prompt", () => {
  it("is on standard input and in a file, never an argument", async () => {
    const places = folders();
    const prompt = `"; rm -rf / # $(id) \`id\`\n${"x".repeat(200_000)}`;
    const script = 'cat > stdin; cp "$CONVERGE_PROMPT_FILE" file; tr "\\0" " " < /proc/$$/cmdline';
    const { message } = await run({ in: places, command: script, ask: { prompt } });
    expect(fs.readFileSync(path.join(places.dir, "stdin"), "utf8")).toBe(prompt);
    expect(fs.readFileSync(path.join(places.dir, "file"), "utf8")).toBe(prompt);
    expect(message).not.toContain("xxxx");
  });

  it("may stay unread by the agent", async () => {
    const ask = { prompt: "x".repeat(500_000) };
    expect(await run({ command: "echo ignored you", ask })).toMatchObject({
      ok: true,
      message: "ignored you",
    });
  });

  it("is in a private file outside the workspace", async () => {
    const places = folders();
    await run({ in: places, command: "true" });
    expect(fs.readdirSync(places.dir)).toEqual([]);
    expect(fs.statSync(path.join(places.files, "prompt.md")).mode & 0o777).toBe(0o600);
  });

  it("replaces a symlink or FIFO that an earlier attempt left at its path", async () => {
    const places = folders();
    const victim = path.join(places.dir, "victim");
    fs.writeFileSync(victim, "untouched");
    fs.symlinkSync(victim, path.join(places.files, "prompt.md"));
    fs.mkdirSync(path.join(places.files, "usage.json"));
    expect(await run({ in: places, command: "cat" })).toMatchObject({ ok: true, message: "Do it." });
    expect(fs.readFileSync(victim, "utf8")).toBe("untouched");
    fs.rmSync(path.join(places.files, "prompt.md"));
    execFileSync("mkfifo", [path.join(places.files, "prompt.md")]);
    expect(await run({ in: places, command: "cat" })).toMatchObject({ ok: true, message: "Do it." });
  });
});

describe("the environment of the agent", () => {
  it("has run, iteration and the variables of the task", async () => {
    const script = 'echo "$CONVERGE_RUN $CONVERGE_ITERATION $MINE"';
    const result = await run({ command: script, env: { MINE: "a b" }, ask: { iteration: 7 } });
    expect(result.message).toBe("agent-test 7 a b");
  });

  it("does not reveal Converge's own state folder", async () => {
    process.env.CONVERGE_HOME = "/somewhere";
    const { message } = await run({ command: 'echo "home: $CONVERGE_HOME"' });
    delete process.env.CONVERGE_HOME;
    expect(message).toBe("home:");
  });
});

describe("the agent's output", () => {
  it("becomes the message as plain text, truncated to its end", async () => {
    const { message } = await run({ command: "seq 1 5000; printf 'done \\033[32mgreen\\033[0m\\n'" });
    expect(message).toMatch(/4999\n5000\ndone green$/);
    expect(message.length).toBeLessThan(8_100);
  });

  it("is streamed while the agent runs", async () => {
    expect((await run({ command: "echo one; sleep 0.3; echo two >&2" })).shown).toBe("one\ntwo\n");
  });

  it("is logged up to a size limit, and the message keeps its end", async () => {
    const places = folders();
    const { message } = await run({ in: places, command: fixture("floods") });
    expect(message).toMatch(/xxx\nthe end$/);
    expect(message.length).toBeLessThan(8_100);
    const { size } = fs.statSync(path.join(places.files, "stdout.log"));
    expect(size).toBeGreaterThan(LOG_BYTES);
    expect(size).toBeLessThan(LOG_BYTES + 1_000_000);
  });

  it("does not include output of an earlier attempt", async () => {
    const places = folders();
    await run({ in: places, command: "echo first" });
    expect((await run({ in: places, command: "echo second" })).message).toBe("second");
  });

  it("does not decide whether it succeeded", async () => {
    expect(await run({ command: fixture("lies") })).toMatchObject({
      ok: true,
      message: "All tests pass now.\nTASK_COMPLETE",
    });
  });
});

describe("the end of the agent", () => {
  it.each([
    ["exit 1", "crashed", /exited with 1$/],
    ["echo why >&2; exit 2", "crashed", /exited with 2: why$/],
    ["kill -KILL $$", "crashed", /exited with/],
    ["exit 75", "rate-limited", /asked to be run again later/],
    ["exit 77", "blocked", /may not work/],
    ["no-such-agent-anywhere", "not-found", /command not found; install it.*not found$/],
    ["/etc/passwd", "not-found", /not executable/],
  ])("%s is reported as %s", async (script, failure, reason) => {
    const result = await run({ command: script });
    expect(result).toMatchObject({ ok: false, failure });
    expect(result.reason).toMatch(reason);
  });

  it("keeps files and message of a crashed agent", async () => {
    const places = folders();
    expect(await run({ in: places, command: fixture("crashes") })).toMatchObject({
      failure: "crashed",
      exitCode: 3,
      message: "half of it is done",
      reason: expect.stringContaining("fatal: out of ideas"),
    });
    expect(fs.readFileSync(path.join(places.dir, "answer"), "utf8")).toBe("half\n");
  });

  it("reports idle after printing nothing for too long", async () => {
    const places = folders();
    const result = await run({ in: places, command: fixture("hangs"), ask: { idleMs: 300 } });
    expect(result).toMatchObject({
      failure: "idle",
      reason: expect.stringContaining("printed nothing for 0.3 s"),
    });
    expect(numbersIn(path.join(places.dir, "pids")).filter(isAlive)).toEqual([]);
  });

  it("reports a missing workspace", async () => {
    const places = folders();
    fs.rmSync(places.dir, { recursive: true });
    expect(await run({ in: places, command: "true" })).toMatchObject({
      failure: "crashed",
      reason: expect.stringContaining("is gone"),
    });
  });

  it("kills processes that the agent left running and names them", async () => {
    const places = folders();
    const { ok, leftBehind } = await run({ in: places, command: "sleep 1000 & echo $! > pids" });
    const [pid = 0] = numbersIn(path.join(places.dir, "pids"));
    expect(ok).toBe(true);
    expect(leftBehind.join()).toContain(`(${pid})`);
    expect(isAlive(pid)).toBe(false);
  });
});

describe("usage", () => {
  const runWithUsage = (json: string) => run({ command: `echo '${json}' > "$CONVERGE_USAGE_FILE"` });

  it("is read from the usage file", async () => {
    const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 0, costUsd: 0.25 };
    expect((await runWithUsage(JSON.stringify(usage))).usage).toEqual(usage);
  });

  it.each([
    "{broken",
    "[1]",
    "null",
    "7",
    '{"costUsd":"free"}',
    '{"costUsd":-1}',
    '{"costUsd":1e999}',
    '{"x":1}',
  ])("is unknown when the usage file contains %s", async (json) => {
    expect((await runWithUsage(json)).usage).toEqual({});
  });

  it("does not include the usage of an earlier attempt", async () => {
    const places = folders();
    await run({ in: places, command: `echo '{"costUsd":1}' > "$CONVERGE_USAGE_FILE"` });
    expect((await run({ in: places, command: "true" })).usage).toEqual({});
  });

  it("is read without hanging on a FIFO", async () => {
    expect((await run({ command: 'mkfifo "$CONVERGE_USAGE_FILE"' })).usage).toEqual({});
  });
});

describe("the example agents", () => {
  it("behave as their names say", async () => {
    const places = folders();
    const answers: string[] = [];
    for (const iteration of [1, 2, 3]) {
      await run({ in: places, command: fixture("fixes-on-third"), ask: { iteration } });
      answers.push(fs.readFileSync(path.join(places.dir, "answer"), "utf8").trim());
    }
    expect(answers).toEqual(["attempt 1", "attempt 2", "42"]);
    await run({ in: places, command: fixture("never-changes") });
    expect(fs.readdirSync(places.dir)).toEqual(["answer"]);
  });
});
