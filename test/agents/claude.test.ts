// The real Claude Code, through the built CLI.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "#agents/cli/claude";
import { cliAgent } from "#agents/cli/cli-agent";
import type { Turn } from "../support/model-server/script.ts";
import { MODELS } from "../support/real-agents.ts";
import { expectMended, expectOnlyLooked, MENDS, realRun, realWorld, resultsOf } from "../support/real-run.ts";
import { ofType } from "../support/sandbox.ts";

const LIMITED: Turn = { error: { kind: "rate-limit", headers: { "retry-after": "1" } } };

describe("Claude Code", () => {
  it("fixes a failing test over two iterations and reports its usage", async () => {
    const ran = await realRun("claude", { script: MENDS });
    expectMended(ran);
    const [first, second] = resultsOf(ran);
    expect(second?.usage).toEqual({
      inputTokens: 2_200,
      cachedTokens: 1_000,
      outputTokens: 50,
      costUsd: 0.00465,
    });
    expect(second?.model).toBe(MODELS.claude);
    expect(first?.sessionId).toMatch(/^[\da-f-]{36}$/);
    expect(second?.sessionId).not.toBe(first?.sessionId);
  });

  it("continues its session", async () => {
    const ran = await realRun("claude", { script: MENDS, task: { context: "resume" } });
    expectMended(ran);
    const [first, second] = resultsOf(ran);
    expect(second?.sessionId).toBe(first?.sessionId);
    expect(ran.server.asked.find(({ turn }) => turn === 2)?.body).toContain("The sum is right.");
  });

  it("waits as long as the service asks, without using up an iteration", async () => {
    const env = { CLAUDE_CODE_MAX_RETRIES: "1" };
    const ran = await realRun("claude", { script: [LIMITED, LIMITED, ...(MENDS as Turn[])], agent: { env } });
    expect(ran, ran.reason).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    const [delayed] = ofType(ran.events, "agent.delayed");
    expect(delayed).toMatchObject({ iteration: 1, reason: expect.stringMatching(/^Claude Code: .*429/) });
    const wait = Date.parse(delayed?.until ?? "") - Date.parse(delayed?.time ?? "");
    expect(wait).toBeLessThanOrEqual(1_000);
  });

  it("is blocked by a missing permission and names the setting that allows it", async () => {
    const ran = await realRun("claude", {
      script: [{ shell: "curl http://127.0.0.1:9/" }, { say: "I could not." }],
    });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 1 });
    expect(ran.reason).toContain(
      'Claude Code was not allowed to use Bash: curl http://127.0.0.1:9/; allow it with "allow: [curl]" or "permissions: all" with "isolation: strict"',
    );
  });

  it("may run additionally allowed commands", async () => {
    const script = [{ shell: "node -p 1 > one.txt" }, { say: "Done." }];
    const task = { gates: ["test -s one.txt"] };
    const ran = await realRun("claude", { script, task, agent: { allow: ["node -p"] } });
    expect(ran, ran.reason).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(await realRun("claude", { script, task })).toMatchObject({ code: 3, outcome: "blocked" });
  });

  it("is blocked without a login and says what to do", async () => {
    const ran = await realRun("claude", {
      script: [],
      world: { loggedOut: true },
      env: { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "", CLAUDE_CODE_OAUTH_TOKEN: "" },
    });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked" });
    expect(ran.reason).toContain(`Not logged in · Please run /login; ${claude.login.how}`);
  });

  it("changes nothing with read-only permissions, whatever else is allowed", async () => {
    const write = (file: string) => ({ name: "Write", input: { file_path: file, content: "x" } });
    const { dir, files, env, server } = await realWorld("claude", (turn) =>
      turn === 0
        ? { call: write(path.join(dir, "a.txt")) }
        : turn === 1
          ? { call: { name: "Bash", input: { command: "echo x > b.txt" } } }
          : { say: "I looked." },
    );
    const agent = cliAgent(claude, { env, permissions: "all", commands: ["echo"] });
    await expectOnlyLooked(agent, { dir, files, server });
  });
});
