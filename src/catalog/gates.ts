// Registers the built-in gates, each with its option schema and factory.
import * as z from "zod";
import { ci } from "#gates/ci/ci";
import { command } from "#gates/command";
import { convergence } from "#gates/convergence";
import { levels } from "#gates/levels/levels";
import { duration } from "#options/duration";
import type { Gate } from "#spec/gate";
import { approvalEntry } from "./approval.ts";
import { ciOptions } from "./ci.ts";
import { judgeEntry } from "./judge.ts";
import { levelsOptions } from "./levels.ts";
import type { PartContext } from "./part-context.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { env, given, grace, insideWorkspace, program } from "./shared-options.ts";

export function gates(): Registry<Gate, PartContext> {
  const registry: Registry<Gate, PartContext> = createRegistry("gate");
  registry.register("command", {
    options: z.strictObject({
      command: program,
      exitCode: z.int().min(0).max(255).optional(),
      timeout: duration.optional(),
      env: env.optional(),
      cwd: insideWorkspace.optional(),
      minTests: z.union([z.int().min(0), z.literal("baseline")]).optional(),
      report: insideWorkspace.optional(),
      grace: grace.optional(),
    }),
    create: ({ timeout, ...options }, { name }) => command(name, given({ ...options, timeoutMs: timeout })),
  });
  registry.register("ci", { options: ciOptions, create: (options, { name }) => ci(name, options) });
  registry.register("levels", {
    options: levelsOptions,
    create: (options, { name }) => levels(name, options),
  });
  registry.register("approval", approvalEntry);
  registry.register("convergence", {
    options: z.strictObject({
      snapshots: z.int().min(2).max(1000).optional(),
      maxChangedLines: z.int().min(0).max(1_000_000).optional(),
    }),
    create: (options, { name }) => convergence(name, given(options)),
  });
  registry.register("judge", judgeEntry);
  return registry;
}
