import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runTask, taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/agents/acp-agent.mjs", import.meta.url));
const behaves = (...args: string[]) => ({ type: "acp", command: [process.execPath, FIXTURE, ...args] });
const gates = [{ name: "answer", command: "grep -qx 42 answer.txt" }];

describe("an ACP agent in a run", () => {
  it("converges over two iterations with permission to edit and to run the gate's command", async () => {
    const ran = await runTask({ agent: behaves("fixes"), gates });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    const [first, second] = ofType(ran.events, "agent.finished").map(({ result }) => result);
    expect(first).toMatchObject({ ok: true, message: "Wrote it, attempt 1.", sessionId: "session-1" });
    expect(second?.usage).toEqual({ inputTokens: 150, outputTokens: 20, cachedTokens: 50 });
    const log = await ran.box.converge("logs", "last");
    expect(log.stdout).toContain("Wrote it, attempt 2.");
  });

  it("is blocked when a refused permission left it without changes, and names the setting that allows it", async () => {
    const call = { kind: "execute", title: "deploy", rawInput: { command: "make deploy" } };
    const agent = behaves("asks", JSON.stringify([call]));
    const ran = await runTask({ agent, gates });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 1 });
    expect(ran.reason).toContain(
      'allow: ["make deploy"] or "permissions: all" with "isolation: strict" would allow it',
    );
    const allowed = await runTask({
      agent: { ...agent, allow: ["make deploy"] },
      gates,
      limits: { iterations: 1 },
    });
    expect(allowed.outcome).toEqual("diverged");
  });

  it("is blocked when it asks for a login", async () => {
    const ran = await runTask({ agent: behaves("auth"), gates });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked" });
    expect(ran.reason).toContain("Log in with a browser");
  });

  it("continues its session with context: resume", async () => {
    const ran = await runTask({
      agent: behaves("resumes"),
      gates,
      context: "resume",
      limits: { iterations: 2 },
    });
    const messages = ofType(ran.events, "agent.finished").map(({ result }) => result.message);
    expect(messages).toEqual(["on with session-1", "on with session-1"]);
  });

  it("refuses unknown options and an unknown permission level", async () => {
    const box = sandbox();
    box.write(taskFile({ agent: { ...behaves("fixes"), permissions: "most", model: "x" }, gates }));
    const { code, stderr } = await box.converge("validate");
    expect(code).toBe(2);
    expect(stderr).toContain("agent.permissions");
    expect(stderr).toContain("model");
  });
});
