import { expect, it } from "vitest";
import { problemsIn, readYaml } from "./fixtures.ts";

const VALUE = "Vq7xT2mK9pLw4Zs8";
const HEAD = "prompt: p\n";

it("rejects a secret in an agent's env and names its location", async () => {
  const text = `${HEAD}agent:\n  type: open\n  env:\n    MODE: fast\n    API_KEY: ${VALUE}\n`;
  expect(await problemsIn(text)).toEqual([
    "converge.yaml:6:5: agent.env.API_KEY looks like a secret and would be stored with the run; set it in the environment, and list it in passEnv",
  ]);
});

it("rejects secrets in a list of agents, a gate and the agent of a gate, and by the shape of the value alone", async () => {
  const text = `${HEAD}agents: [{type: open, env: {SETTINGS: sk-ant-api03-abcdefghijklmnop}}]
gates:
  - {name: a, command: c, env: {DB_PASSWORD: ${VALUE}}}
  - {name: b, type: judge, agent: {type: open, env: {MY_TOKEN: ${VALUE}}}}
`;
  const problems = (await problemsIn(text)).filter((problem) => problem.includes("looks like a secret"));
  expect(problems.map((problem) => problem.split(" ").slice(1).join(" "))).toEqual([
    "agents[0].env.SETTINGS looks like a secret and would be stored with the run; set it in the environment, and list it in passEnv",
    "gates[0].env.DB_PASSWORD looks like a secret and would be stored with the run; set it in the environment, which the gate inherits; for a clean room, list it in cleanRoom.env",
    "gates[1].agent.env.MY_TOKEN looks like a secret and would be stored with the run; set it in the environment, and list it in passEnv",
  ]);
});

it("accepts names that only resemble a secret", async () => {
  const env = "{API_KEY: dummy, AUTH_TYPE: api-key-of-mine, KEY_FILE: ./keys/none.pem, USE_TOKEN: 'true'}";
  const { task } = await readYaml(`${HEAD}agent: {type: open, env: ${env}}\n`);
  expect(task.agents[0]).toMatchObject({ env: { API_KEY: "dummy" } });
});
