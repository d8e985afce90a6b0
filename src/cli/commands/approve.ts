// converge approve

import type { Command } from "../support/command.ts";
import { RUN } from "../support/flags.ts";
import { answerGate, answerOptions, WAITING_GATE } from "../support/send-command.ts";

export const command: Command = {
  name: "approve",
  description: "approve a gate that waits for a person",
  arguments: [RUN, WAITING_GATE],
  options: answerOptions,
  run: ([typed, gate]: [string, string?], flags) => answerGate("approve", { typed, gate, ...flags }),
};
