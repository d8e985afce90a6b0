// converge decide
import { UsageError } from "#spec/errors";
import type { Command } from "../support/command.ts";
import { RUN } from "../support/flags.ts";
import { sendCommand } from "../support/send-command.ts";
import { iterationNumber } from "../support/values.ts";

interface DecideFlags {
  readonly feedback?: string;
  readonly iteration?: string;
}

const CHOICES = ["continue", "accept", "stop", "rollback"] as const;

export const command: Command = {
  name: "decide",
  description: "decide about the current iteration",
  arguments: [RUN, { name: "<choice>", description: "continue, accept, stop or rollback" }],
  options: [
    { flags: "--feedback <text>", description: "feedback for the next iteration" },
    {
      flags: "--iteration <n>",
      description: "with rollback: the iteration to return to (default: the best one)",
    },
  ],
  async run([typed, choice]: [string, string], flags: DecideFlags) {
    const known = CHOICES.find((one) => one === choice);
    if (!known) throw new UsageError(`expected one of ${CHOICES.join(", ")}, got "${choice}"`);
    const iteration = iterationNumber(flags.iteration);
    const details = {
      ...(flags.feedback && { feedback: flags.feedback }),
      ...(iteration !== undefined && { iteration }),
    };
    return sendCommand(typed, { type: "decide", choice: known, ...details }, `decided: ${known}`);
  },
};
