// converge steer
import { UsageError } from "#spec/errors";
import type { Command } from "../support/command.ts";
import { RUN } from "../support/flags.ts";
import { sendCommand } from "../support/send-command.ts";

export const command: Command = {
  name: "steer",
  description: "send a message to the agent, with the next iteration",
  arguments: [RUN, { name: "<text...>", description: "the message" }],
  async run([typed, words]: [string, readonly string[]]) {
    const text = words.join(" ").trim();
    if (!text) throw new UsageError("the message is empty; expected: converge steer RUN TEXT");
    return sendCommand(typed, { type: "steer", text }, "the next prompt will contain the message");
  },
};
