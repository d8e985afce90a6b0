// A run of the built CLI in which a real agent CLI works, with the scripted server for its model.
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Script } from "./model-server/script.ts";
import { type ModelServer, startModelServer } from "./model-server/server.ts";
import { type AgentName, realAgents, type World } from "./real-agents.ts";
import { type Ran, ranIn, taskFile } from "./run-task.ts";
import { sandbox } from "./sandbox.ts";

/** `node --test` fails on them until add.mjs is right.mjs. */
const FILES = {
  "add.mjs": "export const add = () => 0;\n",
  "almost.mjs": "export const add = (a, b) => a - -b - (a > 1);\n",
  "right.mjs": "export const add = (a, b) => a + b;\n",
  "add.test.mjs": [
    'import assert from "node:assert";',
    'import test from "node:test";',
    'import { add } from "./add.mjs";',
    'test("small", () => assert.equal(add(1, 1), 2));',
    'test("large", () => assert.equal(add(20, 22), 42));',
    "",
  ].join("\n"),
};

interface Wanted {
  readonly script: Script;
  /** Options of the agent. */
  readonly agent?: object;
  readonly task?: object;
  readonly world?: World;
}

export interface RealRun extends Ran {
  readonly server: ModelServer;
}

export async function realRun(name: AgentName, { script, agent, task, world }: Wanted): Promise<RealRun> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const box = sandbox();
  const gates = [{ name: "tests", command: "node --test" }];
  box.write({ ...FILES, ...taskFile({ gates, agent: { type: name, ...agent }, ...task }) });
  const env = realAgents[name].world(server, path.dirname(box.dir), world);
  const config = { XDG_CONFIG_HOME: path.join(env.HOME ?? "", ".config") };
  const { answer } = box.start(["run", "--json"], { ...env, ...config });
  return { ...ranIn(box, await answer), server };
}
