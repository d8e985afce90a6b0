// Registers the built-in agents, each with its option schema and factory.
import * as z from "zod";
import { acp } from "#agents/acp/acp-agent";
import { cliAgent } from "#agents/cli/cli-agent";
import { DRIVERS } from "#agents/cli/drivers";
import { command } from "#agents/command-agent";
import { type ScriptedOptions, scripted } from "#agents/scripted-agent";
import type { Driver } from "#agents/shared/driver";
import { durationOrZero } from "#options/duration";
import { text } from "#options/values";
import type { Agent } from "#spec/agent";
import type { PartContext } from "./part-context.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { env, given, grace, passEnv, program } from "./shared-options.ts";

const cliShape = z.strictObject({
  program: text.optional(),
  model: text.optional(),
  permissions: z.enum(["auto", "all"]).optional(),
  allow: z.array(text).optional(),
  args: z.array(z.string()).optional(),
  env: env.optional(),
  passEnv: passEnv.optional(),
  grace: grace.optional(),
});

/** Rejects `allow` for a CLI that ignores it, because the user would rely on it. */
function cliOptions({ title, knowsCommands }: Driver) {
  return cliShape.refine(({ allow }) => knowsCommands || allow === undefined, {
    path: ["allow"],
    error: `has no effect: ${title} does not restrict single commands; docs/agents.md says how it is restricted`,
  });
}

export function agents(): Registry<Agent, PartContext> {
  const registry: Registry<Agent, PartContext> = createRegistry("agent");
  registry.register("command", {
    options: z.strictObject({
      command: program,
      env: env.optional(),
      passEnv: passEnv.optional(),
      grace: grace.optional(),
    }),
    create: (options) => command(given(options)),
  });
  registry.register("acp", {
    options: z.strictObject({
      command: program,
      permissions: z.enum(["auto", "all"]).optional(),
      allow: z.array(text).optional(),
      env: env.optional(),
      passEnv: passEnv.optional(),
      grace: grace.optional(),
    }),
    create: (options, { commands, prices }) => acp({ ...given(options), commands, prices }),
  });
  const failure = z.enum([
    "not-found",
    "crashed",
    "timed-out",
    "idle",
    "rate-limited",
    "context-too-long",
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
    z.strictObject({ refuse: text }),
    z.strictObject({ hang: z.literal(true) }),
  ]);
  registry.register("scripted", {
    options: z.strictObject({ iterations: z.array(z.array(step)) }),
    create: (options) => scripted(options as ScriptedOptions),
  });
  for (const driver of DRIVERS)
    registry.register(driver.name, {
      options: cliOptions(driver),
      create: (options, { commands, prices }) => cliAgent(driver, { ...given(options), commands, prices }),
    });
  return registry;
}
