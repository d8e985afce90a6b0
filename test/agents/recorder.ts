// Runs the real CLIs scenario by scenario and stores their output.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Called, callAgent, UNATTENDED } from "../support/call-agent.ts";
import { installAgents } from "../support/install-agents.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { type AgentName, realAgents } from "../support/real-agents.ts";
import { normaliser } from "./normalise.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../fixtures/transcripts");
const MOST_MS = 180_000;

/** The session id, whatever the CLI calls it: `session_id`, `thread_id`, `sessionID`. */
function sessionIn({ stdout }: Called): string {
  const id = /"(?:session_id|thread_id|sessionID)":"([^"]+)"/.exec(stdout)?.[1];
  if (id === undefined) throw new Error(`no session id in: ${stdout}`);
  return id;
}

async function play(agent: AgentName, scenario: Scenario, root: string) {
  const server = await startModelServer(scenario.script, scenario.aside);
  const dir = path.join(root, "workspace");
  fs.mkdirSync(dir);
  const env = {
    ...realAgents[agent].world(server, root, scenario.world),
    ...UNATTENDED[agent].env,
    TZ: "UTC",
    ...scenario.env,
  };
  const call = (args: readonly string[], prompt: string) =>
    callAgent(agent, { args, env, dir, prompt, timeoutMs: MOST_MS });
  let args = scenario.args ?? UNATTENDED[agent].args;
  let called = await call(args, "Please make a.txt say: fixed");
  if (scenario.resuming) {
    args = scenario.resuming(sessionIn(called));
    called = await call(args, "Go on");
  }
  await server.close();
  const requests = server.asked.filter(({ turn }) => turn !== undefined).length;
  return { args, called, requests, port: new URL(server.url).port };
}

async function recordOne(agent: AgentName, name: string, scenario: Scenario): Promise<void> {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-record-")));
  try {
    const began = performance.now();
    const { args, called, requests, port } = await play(agent, scenario, root);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${agent} ${name}: exit ${called.exitCode}, ${seconds} s, ${requests} model requests`);
    if (called.exitCode === null) return console.log("  killed after its time: not stored");
    const { bin, version } = realAgents[agent];
    const normalise = normaliser({
      "<world>": root,
      "<agents>": path.resolve(bin, "../.."),
      "127.0.0.1:<port>": `127.0.0.1:${port}`,
    });
    const { exitCode, stdout, stderr } = called;
    const transcript = {
      version,
      args: args.map(normalise),
      exitCode,
      stdout: normalise(stdout),
      stderr: normalise(stderr),
    };
    const file = path.join(FIXTURES, agent, `${name}.json`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify(transcript, null, 2)}\n`);
  } finally {
    fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function record(onlyAgent?: string, onlyScenario?: string): Promise<void> {
  installAgents();
  for (const agent of Object.keys(realAgents) as AgentName[])
    for (const [name, forAgent] of Object.entries(SCENARIOS)) {
      const scenario = forAgent(agent);
      const asked = (onlyAgent ?? agent) === agent && (onlyScenario ?? name) === name;
      if (scenario && asked) await recordOne(agent, name, scenario);
    }
}
