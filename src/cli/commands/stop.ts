// converge stop
import type { Command } from "../support/command.ts";
import { RUN } from "../support/flags.ts";
import { sendCommand } from "../support/send-command.ts";

export const command: Command = {
  name: "stop",
  description: "stop a run and its agent; everything done so far is kept",
  arguments: [RUN],
  options: [{ flags: "--reason <text>", description: "the reason, for the record" }],
  run([typed]: [string], { reason = "stopped by a person" }: { readonly reason?: string }) {
    return sendCommand(typed, { type: "stop", reason }, "stop requested");
  },
};
