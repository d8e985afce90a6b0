// converge show
import { screenFor } from "../output/style.ts";
import { summary } from "../output/summary.ts";
import { protectedLines } from "../output/task-lines.ts";
import type { Command } from "../support/command.ts";
import { RUN_OR_LAST } from "../support/flags.ts";
import { print, printJson } from "../support/messages.ts";
import { openRun, viewRun } from "../support/open-run.ts";

export const command: Command = {
  name: "show",
  description: "show the state of a run and the result of each iteration",
  arguments: [RUN_OR_LAST],
  options: [
    { flags: "--protected", description: "list the protected files and the reasons" },
    { flags: "--json", description: "print the whole run as JSON" },
  ],
  isRead: true,
  async run([typed]: [string], flags: { readonly json?: boolean; readonly protected?: boolean }) {
    const { stateWord } = await import("#views/run-view");
    const view = await viewRun(await openRun(typed));
    const { run, progress, driver } = view;
    const standing = stateWord(view);
    if (flags.json) printJson({ state: standing, driver: driver ?? null, progress, run });
    else if (flags.protected) print(protectedLines(run.task.protect).join("\n"));
    else summary({ run, progress, standing }, screenFor(100)).forEach(print);
    return 0;
  },
};
