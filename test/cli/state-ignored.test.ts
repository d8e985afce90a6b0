import { describe, expect, it } from "vitest";
import { sandbox } from "../support/sandbox.ts";

const BASE = "prompt: x\nagent: {type: command, command: ./agent.sh}\ngates: [test -f done]\n";

describe("refuses options that would have no effect", () => {
  it.each([
    ["{type: hybrid, minLevel: 1}", 'converge.yaml:4:26: minLevel needs a gate of type "levels"'],
    [
      "{type: hybrid, completionCriteria: [ci-pass]}",
      'converge.yaml:4:47: ci-pass needs a gate of type "ci"',
    ],
    ["{type: ralph, stateDir: /tmp/elsewhere}", "expected a path inside the workspace"],
    ["{type: ralph, stateDir: ../elsewhere}", "expected a path inside the workspace"],
    ["{type: ralph, stateDir: ./}", "expected a folder inside the workspace"],
  ])("%s", async (strategy, complaint) => {
    const box = sandbox();
    box.write({ "converge.yaml": `${BASE}strategy: ${strategy}\n` });
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
    expect((await box.converge("ls", "--json")).stdout).toBe("");
  });
});
