// Runs any command as a gate: checks its exit code and, if it runs tests, which of them pass.
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
