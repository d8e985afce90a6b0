import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporary } from "../support/folders.ts";
import type { Script } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { type AgentName, realAgents } from "../support/real-agents.ts";
import { taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

/** Each asks before it edits or runs anything, so that Converge decides. */
const AGENTS = {
  opencode: {
    command: "opencode acp",
    env: { OPENCODE_PERMISSION: JSON.stringify({ bash: "ask", edit: "ask" }) },
  },
  gemini: { command: "gemini --acp", env: { GEMINI_CLI_TRUST_WORKSPACE: "true" } },
} as const satisfies Partial<Record<AgentName, object>>;

const gates = [{ name: "answer", command: "grep -qx 42 answer.txt" }];

async function run(name: keyof typeof AGENTS, script: (dir: string) => Script, agent: object = {}) {
  const box = sandbox();
  const server = await startModelServer(script(fs.realpathSync(box.dir)));
  onTestFinished(() => server.close());
  const limits = { iterations: 3 };
  box.write({
    "answer.txt": "?\n",
    ...taskFile({ agent: { type: "acp", ...AGENTS[name], ...agent }, gates, limits, protect: "off" }),
  });
  const world = realAgents[name].world(server, temporary());
  // The test sandbox has its own settings folder; the agent's settings are in its home.
  const env = { ...world, XDG_CONFIG_HOME: path.join(world.HOME ?? "", ".config") };
  const { answer } = box.start(["run", "--json"], env);
  const { code, stderr, events } = await answer;
  const results = ofType(events(), "agent.finished").map(({ result }) => result);
  return { box, code, stderr, results, reason: ofType(events(), "run.ended").at(-1)?.reason };
}

describe.each(Object.keys(AGENTS) as (keyof typeof AGENTS)[])("%s over ACP", (name) => {
  it("runs the gate's command, edits the file and converges over two iterations", async () => {
    const { code, results, stderr, box } = await run(name, (dir) => [
      { say: "I look first.", shell: gates[0]?.command ?? "" },
      { write: { path: `${dir}/answer.txt`, text: "41\n" } },
      { say: "It should be 41." },
      { write: { path: `${dir}/answer.txt`, text: "42\n" } },
      { say: "It is 42." },
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(results.map(({ ok, message }) => ({ ok, message }))).toEqual([
      { ok: true, message: "It should be 41." },
      { ok: true, message: "It is 42." },
    ]);
    expect(results.map(({ refused }) => refused)).toEqual([undefined, undefined]);
    expect(results.every(({ usage }) => (usage.inputTokens ?? 0) > 0)).toBe(true);
    expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(2);
    expect(box.read("answer.txt")).toBe("42\n");
  });

  it("is blocked without permission for its command, and names the setting that allows it", async () => {
    const { code, reason, box } = await run(name, () => [
      { shell: "echo 42 > answer.txt" },
      { say: "I may not." },
    ]);
    expect(code).toBe(3);
    expect(reason).toContain(
      'allow: ["echo 42 > answer.txt"] or "permissions: all" with "isolation: strict" would allow it',
    );
    expect(box.read("answer.txt")).toBe("?\n");
  });
});
