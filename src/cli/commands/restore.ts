// converge restore
import { iterationName } from "../output/words.ts";
import type { Command } from "../support/command.ts";
import { RUN } from "../support/flags.ts";
import { print, printJson, warn } from "../support/messages.ts";
import { openRun } from "../support/open-run.ts";

export const command: Command = {
  name: "restore",
  description: "restore a snapshot into the workspace; the current files are saved first",
  arguments: [RUN],
  options: [
    { flags: "--iteration <n>", description: "a number, base, best, last or a saved tree", default: "best" },
    { flags: "--json", description: "print JSON" },
  ],
  isRead: true,
  async run([typed]: [string], flags: { readonly iteration: string; readonly json?: boolean }) {
    const { restoreRun } = await import("#runs/snapshots");
    const { app, id } = await openRun(typed);
    const restored = await restoreRun(app, id, flags.iteration, warn);
    if (flags.json) {
      printJson(restored);
      return 0;
    }
    const { dir, iteration, tree, saved } = restored;
    print(`${dir} is back at ${iterationName(iteration)} (${tree.slice(0, 12)})`);
    print(`to undo this: converge restore ${id} --iteration ${saved.slice(0, 12)}`);
    return 0;
  },
};
