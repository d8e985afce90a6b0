// The real Codex, through the built CLI.
import { describe, expect, it } from "vitest";
import { cliAgent } from "#agents/cli/cli-agent";
import { codex } from "#agents/cli/codex";
import type { Turn } from "../support/model-server/script.ts";
import { MODELS } from "../support/real-agents.ts";
import { expectMended, expectOnlyLooked, MENDS, realRun, realWorld, resultsOf } from "../support/real-run.ts";
import { ofType } from "../support/sandbox.ts";

const LIMITED: Turn = { error: { kind: "rate-limit", headers: { "retry-after": "1" } } };
const USED = { inputTokens: 2_200, cachedTokens: 1_000, outputTokens: 50 };
const PRICES = { [MODELS.codex]: { input: 1, output: 2 } };

describe("Codex", () => {
  it("fixes a failing test over two iterations and reports its usage", async () => {
    const ran = await realRun("codex", { script: MENDS, task: { prices: PRICES } });
    expectMended(ran);
    const [first, second] = resultsOf(ran);
    expect(second).toMatchObject({
      model: MODELS.codex,
      usage: { ...USED, costUsd: expect.closeTo(0.0023) },
    });
    expect(first?.sessionId).toMatch(/^[\da-f-]{36}$/);
    expect(second?.sessionId).not.toBe(first?.sessionId);
  });

  it("continues its session and counts the usage of each call", async () => {
    const ran = await realRun("codex", { script: MENDS, task: { context: "resume" } });
    expectMended(ran);
    const [first, second] = resultsOf(ran);
    expect(second?.sessionId).toBe(first?.sessionId);
    expect(second?.usage).toEqual(USED);
    expect(ran.server.asked.find(({ turn }) => turn === 2)?.body).toContain("The sum is right.");
  });

  it("waits while the service is overloaded, without using up an iteration", async () => {
    const script = [LIMITED, ...(MENDS as Turn[])];
    const ran = await realRun("codex", { script, world: { retries: 0 } });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    const delayed = ofType(ran.events, "agent.delayed");
    expect(delayed).toMatchObject([{ iteration: 1, reason: expect.stringMatching(/^Codex: .*429/) }]);
  });

  it("is blocked by its sandbox and says what would help", async () => {
    const write = { path: "/no-such-folder-of-converge/a.txt", text: "x" };
    const ran = await realRun("codex", { script: [{ write }, { say: "I could not." }] });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 1 });
    expect(ran.reason).toMatch(
      /^Codex was not allowed to change a file: .*; allow it with "permissions: all" with "isolation: strict"/,
    );
  });

  it("is blocked without a login and says what to do", async () => {
    const world = { loggedOut: true };
    const ran = await realRun("codex", { script: [], world, env: { OPENAI_API_KEY: "", CODEX_API_KEY: "" } });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked" });
    expect(ran.reason).toContain(`Missing environment variable: \`OPENAI_API_KEY\`.; ${codex.login.how}`);
  });

  it("changes nothing with read-only permissions, whatever else is allowed", async () => {
    const { dir, files, env, server } = await realWorld("codex", [
      { shell: "echo x > a.txt" },
      { write: { path: "b.txt", text: "x" } },
      { say: "I looked." },
    ]);
    const agent = cliAgent(codex, { env, permissions: "all" });
    await expectOnlyLooked(agent, { dir, files, server });
  });
});
