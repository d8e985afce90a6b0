// Runs any command as a gate: checks its exit code and, if it runs tests, which of them pass.
import type { Gate } from "#spec/gate";
import { verdictOf } from "./command-verdict.ts";
import { inabilityOf } from "./inability.ts";
import { barFor, type MinTests } from "./min-tests.ts";
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
      const wanted = outcome.report !== undefined || options.report !== undefined;
      const tests = barFor(options.minTests, wanted, request.run, name);
      const { command: program, exitCode = 0 } = options;
      const unable = await inabilityOf(outcome, { gate: name, command: program, exitCode }, request);
      const expected = { exitCode, tests, ...(unable && { unable }) };
      return verdictOf(program, outcome, expected, request.dir);
    },
  };
}
