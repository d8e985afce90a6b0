// Runs a task with the built `converge`, a real agent CLI and the scripted model server.
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Agent } from "#spec/agent";
import { uniqueRun } from "#testing/unique-run";
import { folders, temporary } from "./folders.ts";
import type { Script } from "./model-server/script.ts";
import { type ModelServer, startModelServer } from "./model-server/server.ts";
import { type AgentName, type Environment, realAgents, type World } from "./real-agents.ts";
import { type Ran, ranIn, taskFile } from "./run-task.ts";
import { ofType, sandbox } from "./sandbox.ts";

/** Project whose `node --test` fails until right.mjs is copied to add.mjs. */
export const ADDS = {
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

export interface RealRun extends Ran {
  readonly server: ModelServer;
}

export interface Asked {
  readonly script: Script;
  readonly task?: object;
  /** Files of the workspace. Defaults to the project with two bugs. */
  readonly files?: Readonly<Record<string, string>>;
  /** Options of the agent. */
  readonly agent?: object;
  readonly world?: World;
  readonly env?: Environment;
}

/** Project with two bugs. Each turn of the scripted model fixes only one. */
const FILES = {
  "sums.mjs": "export const sum = (a, b) => a - b;\nexport const product = (a, b) => a % b;\n",
  "sums.test.mjs": `import assert from "node:assert/strict";
import test from "node:test";
import { product, sum } from "./sums.mjs";
test("sum", () => assert.equal(sum(2, 3), 5));
test("product", () => assert.equal(product(2, 3), 6));
`,
};

/** Fixes one bug in each iteration and runs the gate's command in the agent's shell. */
export const MENDS: Script = [
  { say: "I mend the sum.", shell: "sed -i 's/a - b/a + b/' sums.mjs && node --test" },
  { say: "The sum is right." },
  { say: "I mend the product.", shell: "sed -i 's/a % b/a * b/' sums.mjs && node --test" },
  { say: "The product is right.", usage: { input: 1200, output: 30, cached: 1000 } },
];

async function scripted(script: Script): Promise<ModelServer> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return server;
}

export async function realRun(
  name: AgentName,
  { script, task, files = FILES, agent, world, env }: Asked,
): Promise<RealRun> {
  const server = await scripted(script);
  const box = sandbox();
  const gates = [{ name: "tests", command: "node --test" }];
  box.write({ ...files, ...taskFile({ gates, agent: { type: name, ...agent }, ...task }) });
  const own = realAgents[name].world(server, temporary(), world);
  // Overrides the sandbox's config folder, because the agent's settings are in its HOME.
  const config = { XDG_CONFIG_HOME: path.join(own.HOME ?? "", ".config") };
  const started = box.start(["run", "--json"], { ...own, ...config, ...env });
  return { ...ranIn(box, await started.answer), server };
}

/** Model server, folders and environment for a direct call of an agent. */
export async function realWorld(name: AgentName, script: Script) {
  const server = await scripted(script);
  return { server, ...folders(), env: realAgents[name].world(server, temporary()) };
}

/** The agent's result in each iteration. */
export function resultsOf(ran: Ran) {
  return ofType(ran.events, "agent.finished").map(({ result }) => result);
}

/** Expects that the run fixed the sum, then the product, in two iterations. */
export function expectMended(ran: RealRun): void {
  expect(ran, ran.reason).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
  expect(resultsOf(ran).map(({ message }) => message)).toEqual([
    "The sum is right.",
    "The product is right.",
  ]);
  expect(resultsOf(ran).flatMap(({ refused = [] }) => refused)).toEqual([]);
  // The shell output was sent back to the model.
  const told = (turn: number, words: string) =>
    ran.server.asked.some((asked) => asked.turn === turn && asked.body.includes(words));
  expect([told(1, "# fail 1"), told(3, "# fail 0")]).toEqual([true, true]);
}

/** Expects that an agent with read access ends with success and writes nothing, although its model tries twice. */
export async function expectOnlyLooked(
  agent: Agent,
  { dir, files, server }: Pick<Awaited<ReturnType<typeof realWorld>>, "dir" | "files" | "server">,
): Promise<void> {
  const ask = { run: uniqueRun(), iteration: 1, prompt: "Look.", timeoutMs: 60_000, access: "read" } as const;
  for await (const event of agent.run({ ...ask, dir, files }, new AbortController().signal))
    if (event.type === "finished") expect(event.result).toMatchObject({ ok: true, message: "I looked." });
  expect(server.asked.filter(({ turn }) => turn !== undefined)).toHaveLength(3);
  expect(fs.readdirSync(dir)).toEqual([]);
}

/** Runs a wrong and a correct iteration in one resumed session. Returns the result of the first. */
export async function addsInOneSession(name: AgentName) {
  const ran = await realRun(name, {
    files: ADDS,
    agent: { allow: ["cp"] },
    task: { context: "resume" },
    script: [
      { say: "I will look at the tests.", shell: "node --test" },
      { shell: "cp almost.mjs add.mjs" },
      { say: "That should do.", usage: { input: 1200, output: 30, cached: 1000 } },
      { shell: "cp right.mjs add.mjs" },
      { say: "Now it is right." },
    ],
  });
  expect(ran, ran.stderr).toMatchObject({ code: 0, outcome: "converged" });
  const [first, second, ...more] = resultsOf(ran);
  expect(more).toEqual([]);
  expect(second).toMatchObject({ ok: true, message: "Now it is right.", sessionId: first?.sessionId });
  expect(second?.usage).toMatchObject({ inputTokens: 2000, outputTokens: 40 });
  const asked = ran.server.asked.filter(({ turn }) => turn !== undefined);
  expect(asked).toHaveLength(5);
  expect(asked[1]?.body).toContain("# fail 2");
  expect(asked[3]?.body).toContain("That should do.");
  return first;
}
