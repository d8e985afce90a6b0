import { describe, expect, it } from "vitest";
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import { folder, problemsOf, read } from "./fixtures.ts";

const agent: Agent = {
  name: "mine",
  async *run() {},
};
const gate: Gate = {
  name: "looks right",
  judge: () => Promise.reject(new Error("not judged here")),
};
const memory: Memory = { recall: () => "" };
const once: Strategy = () => ({ continue: false, reason: "once", confidence: 1 });

describe("part objects of the SDK", () => {
  it("are returned next to the task, which stores their names", async () => {
    const cwd = folder();
    const flags = { prompt: "x", agent, strategy: once, memory, gates: ["npm test", gate] };
    const { task, inline } = await read({ cwd, flags });
    expect(task.agents).toEqual([{ type: "inline", name: "mine" }]);
    expect(task.strategy).toEqual({ type: "inline", name: "once" });
    expect(task.memory).toEqual({ type: "inline", name: "inline" });
    expect(task.gates.map(({ name, use }) => [name, use.type])).toEqual([
      ["npm test", "command"],
      ["looks right", "inline"],
    ]);
    expect(inline.agents.get(0)).toBe(agent);
    expect(inline.strategy).toBe(once);
    expect(inline.memory).toBe(memory);
    expect([...inline.gates]).toEqual([["looks right", gate]]);
    expect(JSON.parse(JSON.stringify(task))).toEqual(task);
  });

  it("may be instances of a class", async () => {
    class Mine implements Agent {
      readonly name = "an instance";
      async *run() {}
    }
    const mine = new Mine();
    const { task, inline } = await read({ cwd: folder(), flags: { prompt: "x", agent: mine } });
    expect(task.agents).toEqual([{ type: "inline", name: "an instance" }]);
    expect(inline.agents.get(0)).toBe(mine);
  });

  it("override the parts of a file", async () => {
    const cwd = folder({ "converge.yaml": "prompt: x\nagent: {type: claude, model: m}" });
    const { task } = await read({ cwd, file: "converge.yaml", flags: { agent } });
    expect(task.agents).toEqual([{ type: "inline", name: "mine" }]);
  });

  it("may carry a gate policy, which is validated like any other", async () => {
    const cwd = folder();
    const start = { prompt: "x", agent };
    const strict = { ...gate, onFailure: "stop" as const, skipIf: { failed: "lint" } };
    const { task } = await read({
      cwd,
      flags: { ...start, gates: [{ name: "lint", command: "lint" }, strict] },
    });
    expect(task.gates[1]?.policy).toMatchObject({
      onFailure: { action: "stop" },
      skipIf: { failed: ["lint"] },
    });
    const wrong = { ...gate, weight: -1, skipIf: { failed: "lint" } };
    expect(await problemsOf(read({ cwd, flags: { ...start, gates: [wrong] } }))).toEqual([
      "command line: gates[0].weight: expected more than 0, got -1",
      'command line: unknown earlier gate "lint" in gates[0].skipIf.failed (there are none)',
    ]);
  });

  it("need unique names", async () => {
    const flags = { prompt: "x", agent, gates: [gate, gate, { ...gate, name: "" }] };
    expect(await problemsOf(read({ cwd: folder(), flags }))).toEqual([
      'command line: gates[1]: the name "looks right" is already used; give each gate its own name',
      "command line: gates[2]: expected a gate with a name",
    ]);
  });

  it("are rejected inside options, because options are stored with the run", async () => {
    const flags = { prompt: "x", agent: { type: "open", callback: () => 1, at: new Date(0) } };
    expect(await problemsOf(read({ cwd: folder(), flags }))).toEqual([
      "command line: agent.callback: expected plain data, got a function",
      "command line: agent.at: expected plain data, got a live object",
    ]);
  });
});
