// converge pause
import type { Command } from "../support/command.ts";
import { RUN } from "../support/flags.ts";
import { sendCommand } from "../support/send-command.ts";

export const command: Command = {
  name: "pause",
  description: "pause a run after its current step, to resume it later",
  arguments: [RUN],
  run([typed]: [string]) {
    return sendCommand(typed, { type: "pause" }, "pauses after the current step");
  },
};
