// What Converge comes with: each type of agent, gate, strategy and memory, the options it understands, and its maker.
import path from "node:path";
import { z } from "zod";
import { command as commandAgent } from "#agents/command";
import { type ScriptedOptions, scripted } from "#agents/scripted";
import { command as commandGate } from "#gates/command";
import { captured } from "#memory/captured";
import { none } from "#memory/none";
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import { fixed } from "#strategies/fixed";
import { hybrid } from "#strategies/hybrid";
import { manual } from "#strategies/manual";
import { ralph } from "#strategies/ralph";
import { duration, durationOrZero } from "./config/duration.ts";
import { count, text } from "./config/values.ts";
import { customStrategy } from "./custom/custom-strategy.ts";
import { createRegistry, type Registry } from "./registry.ts";

/** What a part may need to know about the run it is made for. */
export interface PartContext {
  /** Name of the gate. */
  readonly name: string;
  /** Called when the run's process is done with it. */
  readonly onClose: (close: () => Promise<void>) => void;
}

export interface Registries {
  readonly agents: Registry<Agent, PartContext>;
  readonly gates: Registry<Gate, PartContext>;
  readonly strategies: Registry<Strategy, PartContext>;
  readonly memories: Registry<Memory, PartContext>;
}

const insideWorkspace = text.refine(
  (name) => !path.isAbsolute(name) && !path.normalize(name).startsWith(".."),
  { error: "expected a path inside the workspace" },
);
const folderInside = insideWorkspace.refine((name) => !/^\.?\/*$/.test(path.normalize(name)), {
  error: "expected a folder inside the workspace",
});
const fraction = z.number().min(0).max(1);
const program = z.union([text, z.array(text).min(1)]);
const env = z.record(z.string(), z.string());
const grace = z
  .strictObject({ interrupt: durationOrZero.default(7_500), terminate: durationOrZero.default(2_500) })
  .transform(({ interrupt, terminate }) => ({ interruptMs: interrupt, terminateMs: terminate }));

/** Leaves out what was not given, so that defaults stay where they are written. */
function given<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

function agents(): Registries["agents"] {
  const registry: Registries["agents"] = createRegistry("agent");
  registry.register("command", {
    options: z.strictObject({ command: program, env: env.optional(), grace: grace.optional() }),
    create: (options) => commandAgent(given(options)),
  });
  const failure = z.enum([
    "not-found",
    "crashed",
    "timed-out",
    "idle",
    "rate-limited",
    "blocked",
    "cancelled",
  ]);
  const usage = z.strictObject({
    inputTokens: z.number().min(0).optional(),
    outputTokens: z.number().min(0).optional(),
    cachedTokens: z.number().min(0).optional(),
    costUsd: z.number().min(0).optional(),
  });
  const step = z.union([
    z.strictObject({ say: z.string() }),
    z.strictObject({ write: z.record(z.string(), z.string().nullable()) }),
    z.strictObject({ run: text }),
    z.strictObject({ usage }),
    z
      .strictObject({
        fail: text,
        kind: failure.optional(),
        retryAfter: durationOrZero.optional(),
        once: z.boolean().optional(),
      })
      .transform(({ retryAfter, ...rest }) => ({ ...rest, retryAfterMs: retryAfter })),
    z.strictObject({ hang: z.literal(true) }),
  ]);
  registry.register("scripted", {
    options: z.strictObject({ iterations: z.array(z.array(step)) }),
    create: (options) => scripted(options as ScriptedOptions),
  });
  return registry;
}

function gates(): Registries["gates"] {
  const registry: Registries["gates"] = createRegistry("gate");
  registry.register("command", {
    options: z.strictObject({
      command: program,
      exitCode: z.int().min(0).max(255).optional(),
      timeout: duration.optional(),
      env: env.optional(),
      cwd: insideWorkspace.optional(),
      minTests: z.int().min(0).optional(),
      report: insideWorkspace.optional(),
      grace: grace.optional(),
    }),
    create: ({ timeout, ...options }, { name }) =>
      commandGate(name, given({ ...options, timeoutMs: timeout })),
  });
  return registry;
}

function strategies(): Registries["strategies"] {
  const registry: Registries["strategies"] = createRegistry("strategy");
  registry.register("fixed", {
    options: z.strictObject({ iterations: count(100_000).optional() }),
    create: (options) => fixed(given(options)),
  });
  registry.register("hybrid", {
    options: z.strictObject({
      baseIterations: count(100_000).optional(),
      bonusIterations: z.int().min(0).max(100_000).optional(),
      progressThreshold: fraction.optional(),
      completionCriteria: z
        .array(z.enum(["verification-pass", "ci-pass", "no-changes", "agent-signal"]))
        .optional(),
      minLevel: z.int().min(0).max(3).optional(),
      acceptPartialAfter: count(100_000).optional(),
      signals: z.array(text).optional(),
      loopDetection: z.boolean().optional(),
    }),
    create: (options) => hybrid(given(options)),
  });
  registry.register("ralph", {
    options: z.strictObject({
      minIterations: count(100_000).optional(),
      maxIterations: count(100_000).optional(),
      convergenceThreshold: fraction.optional(),
      windowSize: z.int().min(2).max(1000).optional(),
      signals: z.array(text).optional(),
      promise: text.optional(),
      trustSignal: z.boolean().optional(),
      stateDir: folderInside.optional(),
    }),
    create: (options) => ralph(given(options)),
  });
  registry.register("manual", { options: z.strictObject({}), create: () => manual() });
  registry.register("custom", {
    options: z.strictObject({
      module: text,
      export: text.optional(),
      config: z.unknown().optional(),
      timeout: duration.optional(),
      hash: text.optional(),
    }),
    create: async ({ timeout, ...options }, { onClose }) => {
      const loaded = await customStrategy(given({ ...options, timeoutMs: timeout }));
      onClose(loaded.close);
      return loaded.strategy;
    },
  });
  return registry;
}

function memories(): Registries["memories"] {
  const registry: Registries["memories"] = createRegistry("memory");
  registry.register("captured", {
    options: z.strictObject({ entries: count(1000).optional(), chars: count(4000).optional() }),
    create: (options) => captured(given(options)),
  });
  registry.register("none", { options: z.strictObject({}), create: () => none() });
  return registry;
}

/** A fresh set, so that what one caller registers does not reach another. */
export function builtIns(): Registries {
  return { agents: agents(), gates: gates(), strategies: strategies(), memories: memories() };
}
