// Runs any command as a gate: checks its exit code and, if it runs tests, which of them pass.
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined } from "#options/option";
import { defineGate, describeCommand } from "#options/part";
import { env, grace, insideWorkspace, program } from "#options/part-options";
import type { Gate } from "#spec/gate";
import { commandVerdict } from "./command-verdict.ts";
import { inabilityOf } from "./inability.ts";
import { type MinTests, minimumFor } from "./min-tests.ts";
import { type CommandOptions, runCommand } from "./run-command.ts";

export interface CommandGateOptions extends CommandOptions {
  readonly exitCode?: number;
  /** Minimum number of tests. By default, once tests are recognised, at least 1 and the run's first count. */
  readonly minTests?: MinTests;
}

export function command(name: string, options: CommandGateOptions): Gate {
  return {
    name,
    isDeterministic: true,
    judge: async (request, signal) => {
      const outcome = await runCommand(options, request, signal);
      const { minTests, exitCode = 0 } = options;
      const isRequired = outcome.report !== undefined || options.report !== undefined;
      const tests = minimumFor({ minTests, isRequired }, request.run, name);
      const unable = await inabilityOf(outcome, { gate: name, exitCode }, request);
      return commandVerdict(outcome, { exitCode, tests, ...(unable && { unable }) });
    },
  };
}

export const commandGate = defineGate({
  type: "command",
  summary: "Runs a command and checks its exit code, and which of its tests pass.",
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
  helper: describeCommand,
  create: ({ timeout, ...options }, { name }) =>
    command(name, dropUndefined({ ...options, timeoutMs: timeout })),
});
