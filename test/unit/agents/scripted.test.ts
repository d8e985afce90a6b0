import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type ScriptedStep, scripted } from "#agents/scripted-agent";
import type { AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { secrets } from "#system/secrets/secrets";
import { agentConformance } from "#testing/agent";
import { folders, numbersIn, write } from "../../support/folders.ts";
import { isAlive } from "../../support/processes.ts";

agentConformance(
  "the scripted agent",
  {
    folders,
    says: (text) => scripted({ iterations: [[{ say: text }]] }),
    crashes: () =>
      scripted({ iterations: [[{ say: "trying" }, { fail: "out of ideas" }, { say: "never" }]] }),
    hangs: () => scripted({ iterations: [[{ run: "echo $$ > pids" }, { hang: true }]] }),
  },
  { describe, it, expect },
);

type RunOptions = Partial<AgentRequest> & { readonly iterations?: readonly (readonly ScriptedStep[])[] };

async function run(steps: readonly ScriptedStep[], options: RunOptions = {}): Promise<AgentResult> {
  const { iterations = [steps], ...ask } = options;
  const request = {
    run: "scripted-test",
    iteration: 1,
    prompt: "Do it.",
    timeoutMs: 30_000,
    ...folders(),
    ...ask,
  };
  const events: AgentEvent[] = [];
  for await (const event of scripted({ iterations }).run(request, new AbortController().signal))
    events.push(event);
  const last = events.at(-1);
  if (last?.type !== "finished") throw new Error("no result");
  return last.result;
}

describe("a scripted agent", () => {
  it("masks secrets in the log", async () => {
    const { dir, files } = folders();
    secrets.learn(["SAID_ALOUD"], { SAID_ALOUD: "correct-horse-battery" });
    await run([{ say: "it is correct-horse-battery" }], { dir, files });
    expect(fs.readFileSync(path.join(files, "stdout.log"), "utf8")).toBe("it is ‹secret SAID_ALOUD›\n");
  });

  it("writes and deletes real files", async () => {
    const { dir, files } = folders();
    write(dir, { old: "x", "folder/inside": "y" });
    await run([{ write: { "deep/er/new": "1\r\n", old: null, folder: null } }], { dir, files });
    expect(fs.readFileSync(path.join(dir, "deep/er/new"), "utf8")).toBe("1\r\n");
    expect(fs.readdirSync(dir)).toEqual(["deep"]);
  });

  it.each(["../outside", "/etc/converge-test", "a/../../outside", "."])(
    "rejects a write outside the workspace: %s",
    async (name) => {
      await expect(run([{ write: { [name]: "x" } }])).rejects.toThrow("is outside the workspace");
    },
  );

  it("runs real commands in the workspace", async () => {
    const { dir, files } = folders();
    const result = await run([{ run: 'echo "$CONVERGE_RUN $CONVERGE_ITERATION" > out' }], {
      dir,
      files,
      iteration: 4,
    });
    expect(result.ok).toBe(true);
    expect(fs.readFileSync(path.join(dir, "out"), "utf8")).toBe("scripted-test 4\n");
  });

  it("ends at the first failing step", async () => {
    const { dir, files } = folders();
    const result = await run([{ say: "one" }, { run: "exit 3" }, { write: { never: "" } }], { dir, files });
    expect(result).toMatchObject({
      ok: false,
      failure: "crashed",
      reason: '"exit 3" exited with 3',
      message: "one",
    });
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it("fails with the given kind, reason and retry delay", async () => {
    const step = { fail: "come back later", kind: "rate-limited", retryAfterMs: 50 } as const;
    expect(await run([step])).toMatchObject({
      failure: "rate-limited",
      reason: "come back later",
      retryAfterMs: 50,
    });
  });

  it("fails only once with `once`", async () => {
    const places = folders();
    const steps = [{ fail: "not yet", once: true }, { say: "now" }];
    expect(await run(steps, places)).toMatchObject({ ok: false, reason: "not yet" });
    expect(await run(steps, places)).toMatchObject({ ok: true, message: "now" });
  });

  it("reports usage", async () => {
    expect((await run([{ usage: { costUsd: 0.5 } }])).usage).toEqual({ costUsd: 0.5 });
    expect((await run([])).usage).toEqual({});
  });

  it("runs the steps of the iteration and reuses the last list for later iterations", async () => {
    const iterations = [[{ say: "first" }], [{ say: "second" }]];
    const messageOf = async (iteration: number) => (await run([], { iterations, iteration })).message;
    expect([await messageOf(1), await messageOf(2), await messageOf(9)]).toEqual([
      "first",
      "second",
      "second",
    ]);
  });

  it("kills processes that a command left running and names them", async () => {
    const { dir, files } = folders();
    const { leftBehind } = await run([{ run: "sleep 1000 & echo $! > pids" }, { say: "done" }], {
      dir,
      files,
    });
    const [pid = 0] = numbersIn(path.join(dir, "pids"));
    expect(leftBehind.join()).toContain(`(${pid})`);
    expect(isAlive(pid)).toBe(false);
  });

  it("keeps prompt and messages in the logs", async () => {
    const { dir, files } = folders();
    await run([{ say: "hello" }, { run: "echo from a command" }], { dir, files, prompt: "The prompt." });
    expect(fs.readFileSync(path.join(files, "prompt.md"), "utf8")).toBe("The prompt.");
    expect(fs.readFileSync(path.join(files, "stdout.log"), "utf8")).toBe("hello\nfrom a command\n");
  });
});
