// Tests the rig itself: each real CLI, called directly, works with the scripted model server.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { callAgent, UNATTENDED } from "../support/call-agent.ts";
import { folders } from "../support/folders.ts";
import type { Turn } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { type AgentName, realAgents } from "../support/real-agents.ts";

const FIXES: readonly Turn[] = [
  { say: "I will fix it.", shell: "echo fixed > a.txt" },
  { say: "It is fixed.", usage: { input: 1200, output: 30, cached: 1000 } },
];

const LIMITED: Turn = { error: { kind: "rate-limit", headers: { "retry-after": "1" } } };

async function call(name: AgentName, script: (dir: string) => readonly Turn[]) {
  const { dir, files } = folders();
  const server = await startModelServer(script(dir));
  onTestFinished(() => server.close());
  const { args, env: more = {} } = UNATTENDED[name];
  const env = { ...realAgents[name].world(server, files), ...more };
  const called = await callAgent(name, { args, env, dir, prompt: "Please make a.txt say: fixed" });
  const turns = server.asked.filter(({ turn }) => turn !== undefined);
  return { ...called, turns, contents: (file: string) => fs.readFileSync(path.join(dir, file), "utf8") };
}

describe.each(Object.keys(realAgents) as AgentName[])("%s", (name) => {
  test("changes a file through its own shell tool and prints the model's message", async () => {
    const { exitCode, stdout, turns, contents } = await call(name, () => FIXES);
    expect(exitCode).toBe(0);
    expect(contents("a.txt")).toBe("fixed\n");
    expect(stdout).toContain("It is fixed.");
    expect(turns[0]?.body).toContain("Please make a.txt say: fixed");
  });

  test("writes a file through its own write tool", async () => {
    const text = "written\nas asked\n";
    const { contents } = await call(name, (dir) => [{ write: { path: path.join(dir, "b.txt"), text } }]);
    expect(contents("b.txt")).toBe(text);
  });

  test("survives a rate limit that ends at the second attempt", async () => {
    const { exitCode, turns, contents } = await call(name, () => [LIMITED, ...FIXES]);
    expect(turns).toHaveLength(3);
    expect(exitCode).toBe(0);
    expect(contents("a.txt")).toBe("fixed\n");
  });
});
