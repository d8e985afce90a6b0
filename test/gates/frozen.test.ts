// Definitions are frozen when a run starts. Later changes are reported and never used.
import { expect, it } from "vitest";
import { ranIn } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const TEMPLATE = "{{task}} (as it was)\n";
const STRATEGY = `export default () => ({ continue: true, reason: "as it was", confidence: 1 });\n`;

/** The agent edits every file that defines the run. */
const AGENT = `#!/bin/sh
sed -i 's/test -f never/true/' converge.yaml
sed -i 's/as it was/edited/' prompt.hbs strategy.mjs
echo edited > task.md
`;

const TASK = `promptFile: task.md
template: prompt.hbs
agent: { type: command, command: sh ../agent.sh }
strategy: { type: custom, module: ./strategy.mjs }
gates: [{ name: hard, command: test -f never }]
limits: { iterations: 2 }
protect: off
`;

it("keeps the task, templates, gates and strategy of the start when the agent edits their files", async () => {
  const box = sandbox();
  box.write({
    "../agent.sh": AGENT,
    "converge.yaml": TASK,
    "task.md": "Do it.\n",
    "prompt.hbs": TEMPLATE,
    "strategy.mjs": STRATEGY,
  });
  const ran = ranIn(box, await box.converge("run", "--json"));
  expect(box.read("converge.yaml")).toContain("command: true");
  expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
  expect(ran.prompts).toEqual(["Do it. (as it was)\n", "Do it. (as it was)\n"]);
  expect(ran.decisions.map(({ reason }) => reason)).toEqual(["as it was", "all 2 iterations are used"]);
  expect(ofType(ran.events, "gate.judged").every(({ verdict }) => verdict.status === "failed")).toBe(true);

  const refused = await box.converge("resume", "last", "--max-iterations", "3");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/strategy\.mjs.*changed/s);

  box.write({ "strategy.mjs": STRATEGY });
  const resumed = await box.converge("resume", "last", "--max-iterations", "3", "--json");
  expect(resumed.stderr).toMatch(/converge\.yaml has changed since run \w+ started/);
  expect(ranIn(box, resumed)).toMatchObject({ code: 1, outcome: "diverged", iterations: 1 });
});
