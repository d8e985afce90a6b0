import { expect, it } from "vitest";
import { problemsIn, readYaml } from "./fixtures.ts";

const VALUE = "Vq7xT2mK9pLw4Zs8";
const HEAD = "prompt: p\n";

it("a secret that is written into an agent's environment is refused where it stands", async () => {
  const text = `${HEAD}agent:\n  type: open\n  env:\n    MODE: fast\n    API_KEY: ${VALUE}\n`;
  expect(await problemsIn(text)).toEqual([
    "converge.yaml:6:5: agent.env.API_KEY looks secret and would be kept with the run; set it in the environment, and name it in passEnv",
  ]);
});

it("also in a list of agents, in a gate, in the agent of a gate, and by the shape of the value alone", async () => {
  const text = `${HEAD}agents: [{type: open, env: {SETTINGS: sk-ant-api03-abcdefghijklmnop}}]
gates:
  - {name: a, command: c, env: {DB_PASSWORD: ${VALUE}}}
  - {name: b, type: judge, agent: {type: open, env: {MY_TOKEN: ${VALUE}}}}
`;
  const problems = (await problemsIn(text)).filter((problem) => problem.includes("looks secret"));
  expect(problems.map((problem) => problem.split(" ").slice(1).join(" "))).toEqual([
    "agents[0].env.SETTINGS looks secret and would be kept with the run; set it in the environment, and name it in passEnv",
    "gates[0].env.DB_PASSWORD looks secret and would be kept with the run; set it in the environment, which the gate sees; for a clean room, name it in cleanRoom.env",
    "gates[1].agent.env.MY_TOKEN looks secret and would be kept with the run; set it in the environment, and name it in passEnv",
  ]);
});

it("what only sounds like a secret is not", async () => {
  const env = "{API_KEY: dummy, AUTH_TYPE: api-key-of-mine, KEY_FILE: ./keys/none.pem, USE_TOKEN: 'true'}";
  const { task } = await readYaml(`${HEAD}agent: {type: open, env: ${env}}\n`);
  expect(task.agents[0]).toMatchObject({ env: { API_KEY: "dummy" } });
});
