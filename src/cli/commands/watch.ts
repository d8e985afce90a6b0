// converge watch
import type { Command } from "../support/command.ts";
import { RUN_EXIT_CODES } from "../support/exit-code.ts";
import { JSON_EVENTS, RUN_OR_LAST } from "../support/flags.ts";
import { openRun } from "../support/open-run.ts";

export const command: Command = {
  name: "watch",
  description: "follow a run while it is in progress",
  arguments: [RUN_OR_LAST],
  options: [JSON_EVENTS],
  exitCodes: RUN_EXIT_CODES,
  isRead: true,
  async run([typed]: [string], flags: { readonly json?: boolean }) {
    const { followRun } = await import("../support/follow-run.ts");
    return followRun(await openRun(typed), flags);
  },
};
