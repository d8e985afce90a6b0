import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookSession } from "../../support/hook-session.ts";

const DONE = "I have counted.\n\n<promise>DONE</promise>";

async function started(typed = "$ralph Count to four") {
  const session = hookSession("codex");
  const answer = await session.call("prompt", { prompt: typed });
  const stop = (message: string | null, more: object = {}) =>
    session.call("stop", { last_assistant_message: message, stop_hook_active: true, ...more });
  return { ...session, answer, stop };
}

function rollout(file: string, entries: readonly object[]): string {
  const lines = entries.map((entry) => JSON.stringify(entry));
  fs.writeFileSync(file, `${lines.join("\n")}\n{"type":"event_msg","payl`);
  return file;
}

function counted(timestamp: string, total: number, [input, cached, output]: readonly number[]): object {
  const last = { input_tokens: input, cached_input_tokens: cached, output_tokens: output };
  const info = { total_token_usage: { total_tokens: total }, last_token_usage: last };
  return { timestamp, type: "event_msg", payload: { type: "token_count", info } };
}

describe("Codex's hooks", () => {
  it.each(["$ralph Count to four", "/ralph Count to four"])("start a loop with %s", async (typed) => {
    const { answer, run, dir } = await started(typed);
    expect(answer.hookSpecificOutput).toMatchObject({
      hookEventName: "UserPromptSubmit",
      additionalContext: expect.stringContaining("# The task\nCount to four"),
    });
    expect(answer.systemMessage).toContain("Ralph loop started");
    expect(answer.decision).toBeUndefined();
    expect((await run())?.task.workspace.dir).toBe(dir);
  });

  it("leave every other prompt and every other session alone", async () => {
    const { call, stop } = await started();
    for (const prompt of ["$ralphs x", "use $ralph", "$cancel", ""])
      expect(await call("prompt", { prompt })).toEqual({});
    expect(await stop(DONE, { session_id: "session-2" })).toEqual({});
  });

  it("continue until the promise, and tell the user each time", async () => {
    const { stop, run } = await started();
    expect(await stop("One.")).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("[Converge: iteration 2 of at most 100]"),
      systemMessage: "Ralph loop. Iteration 2 of 100",
    });
    const last = await stop(DONE, { model: "gpt-5.5" });
    expect(last).toEqual({ systemMessage: expect.stringContaining("Ralph loop complete. 2 iterations") });
    expect(await stop(DONE)).toEqual({});
    expect(await run()).toMatchObject({
      ended: { outcome: "converged" },
      iterations: [{}, { agent: { model: "gpt-5.5", sessionId: "session-1" } }],
    });
  });

  it("unescape promise tags and nothing else", async () => {
    const { stop } = await started();
    expect(await stop("&lt;b&gt;\n&lt;promise&gt;OTHER&lt;/promise&gt;")).toHaveProperty("decision", "block");
    expect(await stop("I must not say &lt;promise&gt;DONE&lt;/promise&gt; yet.")).toHaveProperty("decision");
    expect(await stop("Done.\n&lt;promise&gt;DONE&lt;/promise&gt;")).not.toHaveProperty("decision");
  });

  it("end the loop after a turn without a message", async () => {
    const { stop, run } = await started();
    expect((await stop(null)).systemMessage).toContain("no output");
    expect((await run())?.ended?.outcome).toBe("diverged");
  });

  it("answer commands, which begin with $", async () => {
    const { call } = await started();
    const status = await call("prompt", { prompt: "$ralph-status" });
    expect(status).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("Iteration 1 of 100"),
    });
    expect(status.reason).toContain("$cancel-ralph ends it");
    expect((await call("prompt", { prompt: "$cancel-ralph" })).reason).toContain("Ralph loop cancelled");
    expect((await call("prompt", { prompt: "$ralph-status" })).reason).toContain("$ralph starts one");
    const wrong = await call("prompt", { prompt: "$ralph --max-iterations=x y" });
    expect(wrong).toMatchObject({ decision: "block", reason: expect.stringContaining("usage: $ralph ") });
  });

  it("sum the usage of an iteration, once per request, and nothing from before", async () => {
    const { stop, run, files } = await started();
    const [before, now] = ["2000-01-01T00:00:00.000Z", "2100-01-01T00:00:00.000Z"];
    const transcript = rollout(path.join(files, "rollout.jsonl"), [
      counted(before, 100, [90, 0, 10]),
      counted(now, 1120, [1000, 400, 20]),
      counted(now, 1120, [1000, 400, 20]),
      counted(now, 1630, [500, 0, 10]),
      { timestamp: now, payload: { type: "token_count", info: null } },
      { timestamp: now, payload: ["token_count"] },
    ]);
    await stop("One.", { transcript_path: transcript });
    await stop("Two.", { transcript_path: path.join(files, "no-such-file") });
    const used = (await run())?.iterations.map(({ agent }) => agent?.usage);
    expect(used).toMatchObject([{ inputTokens: 1500, cachedTokens: 400, outputTokens: 30 }, {}, undefined]);
    expect(used?.[1]).not.toHaveProperty("inputTokens");
  });
});
