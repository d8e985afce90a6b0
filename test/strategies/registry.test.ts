import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  builtIns,
  converge,
  createRegistry,
  type Gate,
  type Run,
  UsageError,
  type Verdict,
} from "../../src/index.ts";
import { sandbox } from "../support/sandbox.ts";

const context = {
  name: "part",
  onClose: () => {},
  commands: [],
  prices: {},
  agent: () => Promise.reject(new Error("no agents here")),
};
const idle = { type: "scripted", iterations: [[]] };

describe("the registry", () => {
  it("contains the built-ins of every kind", () => {
    const { strategies, agents, gates, memories } = builtIns();
    for (const name of ["fixed", "hybrid", "ralph", "manual", "custom"])
      expect(strategies.has(name), name).toBe(true);
    expect(strategies.list()).toEqual([...strategies.list()].sort());
    expect(agents.list()).toEqual(expect.arrayContaining(["command", "scripted"]));
    expect(gates.list()).toEqual(expect.arrayContaining(["command"]));
    expect(memories.list()).toEqual(expect.arrayContaining(["captured", "none"]));
    expect(strategies.has("nonesuch")).toBe(false);
  });

  it("create returns a working part for its type and options", async () => {
    const { strategies, memories } = builtIns();
    const strategy = await strategies.create({ type: "fixed", iterations: 2 }, context);
    const empty = { iterations: [] } as unknown as Run;
    expect(await strategy(empty)).toMatchObject({ continue: true, reason: "nothing has been tried yet" });
    const memory = await memories.create({ type: "captured" }, context);
    expect(await memory.recall(empty)).toBe("");
  });

  it("refuses unknown options and suggests the nearest name", () => {
    const make = () => builtIns().strategies.create({ type: "fixed", iteratons: 2 }, context);
    expect(make).toThrow(UsageError);
    expect(make).toThrow(/strategy "fixed".*"iteratons".*did you mean "iterations"\?/);
  });

  it("an unknown name lists the known ones", () => {
    const registries = builtIns();
    expect(() => registries.strategies.create({ type: "hybird" }, context)).toThrow(
      `unknown strategy "hybird"; did you mean "hybrid"? (known: ${registries.strategies.list().join(", ")})`,
    );
    expect(() => registries.gates.get("nonesuch")).toThrow(/unknown gate "nonesuch" \(known: .*command/);
  });

  it("reports an unknown name in a task file with its location, and nothing starts", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": "prompt: p\nagent: {type: command, command: ./agent.sh}\nstrategy: hybird\n",
    });
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(2);
    expect(stderr).toContain('converge.yaml:3:11: unknown strategy "hybird"; did you mean "hybrid"?');
    expect((await box.converge("ls", "--json")).stdout).toBe("");
  });

  it("refuses a duplicate without overwrite", async () => {
    const { strategies } = builtIns();
    const mine = { create: () => () => ({ continue: false, reason: "mine", confidence: 1 }) };
    expect(() => strategies.register("fixed", mine)).toThrow(
      'strategy "fixed" is already registered; pass { overwrite: true } to replace it',
    );
    strategies.register("fixed", mine, { overwrite: true });
    const strategy = await strategies.create({ type: "fixed" }, context);
    expect(await strategy({ iterations: [] } as unknown as Run)).toMatchObject({ reason: "mine" });
  });

  it("keeps one caller's registrations from another", () => {
    builtIns().gates.register("mine", { create: () => ({}) as Gate });
    expect(builtIns().gates.has("mine")).toBe(false);
  });

  it("createRegistry works for any kind", async () => {
    const doors = createRegistry<string, { readonly side: string }>("door");
    doors.register("red", { create: (_, { side }) => `red door on the ${side}` });
    expect(await doors.create({ type: "red" }, { side: "left" })).toBe("red door on the left");
    expect(() => doors.get("blue")).toThrow('unknown door "blue" (known: red)');
  });
});

describe("a run uses parts that the user registered", () => {
  const verdict = (status: Verdict["status"], summary: string): Verdict => ({
    status,
    score: status === "passed" ? 1 : 0,
    summary,
    failures: [],
    evidence: {},
    durationMs: 0,
  });

  const echo = (words: string): Agent => ({
    name: "echo",
    async *run({ prompt }) {
      const message = `${words}: ${prompt}`;
      yield { type: "activity", text: message };
      const result = { ok: true, exitCode: 0, message, usage: {}, durationMs: 0, leftBehind: [] };
      yield { type: "finished", result };
    },
  });

  /** Passes once the run has that many iterations. */
  const patient = (name: string, iterations: number): Gate => ({
    name,
    judge: async ({ run }) =>
      verdict(run.iterations.length >= iterations ? "passed" : "failed", `${run.iterations.length} so far`),
  });

  it("creates agent, gate, strategy and memory by name", async () => {
    const box = sandbox();
    box.write({ "prompt.hbs": "{{task}} / {{progress}}" });
    const registries = builtIns();
    registries.agents.register("echo", { create: (options) => echo((options as { words: string }).words) });
    registries.gates.register("patient", {
      create: (options, { name }) => patient(name, (options as { iterations: number }).iterations),
    });
    registries.strategies.register("stubborn", {
      create: () => () => ({ continue: true, reason: "never give up", confidence: 0.1 }),
    });
    registries.memories.register("counting", {
      create: () => ({ recall: (run) => `${run.iterations.length} before` }),
    });
    const result = await converge(
      {
        prompt: "Go",
        agent: { type: "echo", words: "heard" },
        gates: [{ name: "three", type: "patient", iterations: 3 }],
        strategy: "stubborn",
        memory: "counting",
        template: "prompt.hbs",
      },
      { cwd: box.dir, home: box.home, registries },
    );
    expect(result).toMatchObject({ outcome: "converged", iterations: 3 });
    const { iterations } = result.run;
    expect(iterations.map(({ prompt }) => prompt)).toEqual([
      "Go / 0 before",
      "Go / 1 before",
      "Go / 2 before",
    ]);
    expect(iterations[2]?.agent?.message).toBe("heard: Go / 2 before");
    expect(iterations[0]?.decision?.reason).toBe("never give up");
    expect(iterations[0]?.verdicts[0]?.verdict.summary).toBe("1 so far");
  });

  it("validates options by the registered schema, and nothing starts when they are wrong", async () => {
    const box = sandbox();
    const registries = builtIns();
    registries.gates.register("patient", {
      options: z.strictObject({ iterations: z.int().min(1) }),
      create: ({ iterations }, { name }) => patient(name, iterations),
    });
    const gates = [{ name: "three", type: "patient", iteratons: 3 }];
    const run = converge({ prompt: "p", agent: idle, gates }, { cwd: box.dir, home: box.home, registries });
    await expect(run).rejects.toThrow(/unknown key "iteratons".*did you mean "iterations"\?/);
    expect((await box.converge("ls", "--json")).stdout).toBe("");
  });

  it("resumes in a program that registered the parts, and is refused unchanged in one that did not", async () => {
    const box = sandbox();
    const registries = builtIns();
    registries.strategies.register("asking", {
      create: () => () => ({ continue: false, wait: true, reason: "you say", confidence: 1 }),
    });
    const where = { cwd: box.dir, home: box.home };
    const started = converge({ prompt: "p", agent: idle, strategy: "asking" }, { ...where, registries });
    const { run } = await started;
    await started.tell({ type: "decide", choice: "accept" });
    const refused = await box.converge("resume", run.id);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('unknown strategy "asking"');
    expect(await box.events()).toHaveLength(run.seq);
    const done = await converge({}, { ...where, registries, resume: run.id });
    expect(done).toMatchObject({ outcome: "converged", reason: "a person accepted iteration 1" });
  });
});
