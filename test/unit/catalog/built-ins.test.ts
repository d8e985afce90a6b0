// A part is one definition: registry, SDK helper, catalogue row and traits come from the list that names it.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, builtIns, gate, memory, strategy } from "#catalog/built-ins";
import { helpersOf, registryOf } from "#catalog/from-definitions";
import { readTask } from "#config/read-task";
import type { TaskInput } from "#config/task-options";
import { defineGate, defineStrategy, type GateTraits, type StrategyTraits } from "#options/part";
import { ConfigError } from "#spec/errors";
import type { Gate } from "#spec/gate";
import type { Strategy } from "#spec/strategy";
import * as sdk from "../../../src/index.ts";
import { temporary, write } from "../../support/folders.ts";

const weatherGate = defineGate({
  type: "weather",
  summary: "Passes when the sun shines.",
  options: z.strictObject({ city: z.string(), minutes: z.int().optional() }),
  traits: {
    cleanRoom: false,
    ignoredPolicies: [{ key: "repeat", reason: "the weather is the same" }],
    steeringFiles: [{ pattern: "forecast/**", reason: "the gate judges by it" }],
  },
  create: ({ city }, { name }) => ({ name, judge: () => Promise.reject(new Error(city)) }),
});

const patientStrategy = defineStrategy({
  type: "patient",
  summary: "Continues for a number of days.",
  options: z.strictObject({ days: z.int(), sunny: z.boolean().optional() }),
  traits: {
    needsGates: () => true,
    iterations: ({ days }) => 24 * Number(days),
    neededGates: [{ option: "sunny", type: "weather" }],
  },
  helper: (days: number) => ({ type: "patient" as const, days }),
  create: () => () => ({ continue: true, reason: "tomorrow", confidence: 1 }),
});

const GATES = [weatherGate];
const STRATEGIES = [patientStrategy];
const registries = {
  ...builtIns(),
  gates: registryOf<Gate, GateTraits>("gate", GATES),
  strategies: registryOf<Strategy, StrategyTraits>("strategy", STRATEGIES),
};

async function read(task: TaskInput, files: Readonly<Record<string, string>> = {}) {
  const cwd = temporary();
  write(cwd, files);
  const parts = { prompt: "Do it.", agent: sdk.command("true"), strategy: { type: "patient", days: 2 } };
  const flags = { ...parts, memory: "none", ...task };
  return (await readTask({ cwd, flags, origin: "task" }, registries)).task;
}

async function problemsOf(task: TaskInput): Promise<readonly string[]> {
  const error: unknown = await read(task).catch((thrown: unknown) => thrown);
  if (error instanceof ConfigError) return error.problems;
  throw error;
}

const context = {
  name: "sun",
  onClose: () => {},
  commands: [],
  prices: {},
  agent: () => Promise.reject(new Error("no agent")),
};

describe("a definition in a list", () => {
  it("registers an entry that checks options and creates the part", async () => {
    expect(registries.gates.list()).toEqual(["weather"]);
    expect(registries.gates.get("weather").summary).toBe("Passes when the sun shines.");
    expect((await registries.gates.create({ type: "weather", city: "Rome" }, context)).name).toBe("sun");
    expect(() => registries.gates.create({ type: "weather", citty: "Rome" }, context)).toThrow(
      'gate "weather": unknown key "citty"; did you mean "city"?',
    );
  });

  it("provides a helper, derived from the schema or written by hand", () => {
    const described: { readonly type: "weather"; readonly city: string } = helpersOf(GATES).weather({
      city: "Rome",
    });
    expect(described).toEqual({ type: "weather", city: "Rome" });
    expect(helpersOf(STRATEGIES).patient(3)).toEqual({ type: "patient", days: 3 });
    // @ts-expect-error: the schema requires a city
    expect(helpersOf(GATES).weather({})).toEqual({ type: "weather" });
  });

  it("provides traits that the task reader applies", async () => {
    const gates = [{ type: "weather", city: "Rome" }];
    const task = await read({ gates, cleanRoom: true }, { "forecast/today.txt": "rain" });
    expect(task.gates[0]?.policy.cleanRoom).toBeUndefined();
    expect(task.limits.iterations).toBe(48);
    expect(task.protect?.paths.map(({ path }) => path)).toEqual(["forecast/**"]);
    expect(await problemsOf({ gates: [{ ...gates[0], repeat: { runs: 2, passes: 1 } }] })).toEqual([
      "task: gates[0].repeat: has no effect with type weather: the weather is the same",
    ]);
    expect(await problemsOf({ strategy: { type: "patient", days: 1, sunny: true } })).toEqual([
      'task: sunny needs a gate of type "weather"; add one to gates',
      expect.stringContaining("No gate: nothing can verify the work"),
    ]);
    expect(await problemsOf({ gates: ["npm test"] })).toEqual([
      'task: unknown gate "command" (known: weather)',
    ]);
  });

  it("uses default traits when it has none", async () => {
    const bare = { ...builtIns(), gates: sdk.createRegistry<Gate, sdk.PartContext>("gate") };
    bare.gates.register("bare", { create: () => ({ name: "bare", judge: () => Promise.reject() }) });
    expect(bare.gates.traits("bare")).toEqual({});
    const flags = {
      prompt: "Do it.",
      agent: sdk.command("true"),
      gates: [{ type: "bare" }],
      cleanRoom: true,
    };
    const { task } = await readTask({ cwd: temporary(), flags }, bare);
    expect(task.gates[0]?.policy.cleanRoom).toBe(true);
  });
});

describe("every built-in part", () => {
  const { agents, gates, strategies, memories } = builtIns();
  const kinds = [
    [agents, agent],
    [gates, gate],
    [strategies, strategy],
    [memories, memory],
  ] as const;
  const rows = kinds.flatMap(([registry, helpers]) =>
    registry.list().map((type) => ({
      title: `${registry.kind} ${type}`,
      entry: registry.get(type),
      helper: (helpers as Readonly<Record<string, unknown>>)[type],
      count: Object.keys(helpers).length - registry.list().length,
    })),
  );

  it.each(rows)("$title has a summary, a schema and a helper", ({ entry, helper, count }) => {
    expect(entry.summary).toMatch(/^[A-Z].*\.$/);
    expect(entry.options).toBeDefined();
    expect(helper).toBeTypeOf("function");
    expect(count).toBe(0);
  });

  it("has a helper whose output its schema accepts", () => {
    const described = [
      [gates, sdk.command("npm test", { timeout: "5m" })],
      [gates, sdk.levels({ contracts: { required: ["README.md"] } })],
      [gates, sdk.approval({ approvers: ["Ann"], timeout: "1h" })],
      [gates, sdk.convergence({ snapshots: 2 })],
      [gates, sdk.judge("claude", { minScore: 0.5 })],
      [gates, gate.ci({ workflows: ["ci.yml"] })],
      [agents, sdk.command(["node", "agent.mjs"])],
      [agents, sdk.scripted([[{ say: "hello" }]])],
      [agents, agent.claude({ model: "opus", allow: ["npm test"] })],
      [agents, agent.acp({ command: "my-agent" })],
      [strategies, sdk.fixed(3)],
      [strategies, sdk.hybrid({ baseIterations: 2, signals: ["DONE"] as const })],
      [strategies, sdk.ralph({ trustSignal: true })],
      [strategies, sdk.manual()],
      [strategies, sdk.custom("./mine.mjs", { config: { a: 1 } })],
      [strategies, strategy.adaptive({ value: "thrifty" })],
      [memories, sdk.captured({ entries: 2 })],
      [memories, sdk.structured({ chars: 200 })],
      [memories, sdk.summarized({ by: { agent: "claude" } })],
      [memories, sdk.hybridMemory({ outputChars: 100 })],
      [memories, memory.none()],
    ] as const;
    for (const [registry, { type, ...options }] of described)
      expect([type, registry.get(type).options?.safeParse(options).error]).toEqual([type, undefined]);
  });
});
