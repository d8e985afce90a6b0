// converge diff
import { UsageError } from "#spec/errors";
import { undoneLine } from "../output/workspace-lines.ts";
import type { Command } from "../support/command.ts";
import { RUN_OR_LAST } from "../support/flags.ts";
import { printNote } from "../support/messages.ts";
import { openRun } from "../support/open-run.ts";

export const command: Command = {
  name: "diff",
  description: "show what a run, or one of its iterations, changed",
  arguments: [
    RUN_OR_LAST,
    {
      name: "[from]",
      description: "an iteration, base, best, last, now or a saved tree; alone: what that iteration changed",
    },
    { name: "[to]", description: "the same, for the other side of the diff" },
  ],
  options: [
    {
      flags: "--undone",
      description: "show the agent's changes to protected files that were undone in that iteration",
    },
  ],
  isRead: true,
  async run([typed, from, to]: [string, string?, string?], { undone }: { readonly undone?: boolean }) {
    const { diffRun, undoneDiff, undoneIterationOf } = await import("#runs/snapshots");
    const { app, id } = await openRun(typed);
    if (undone && to !== undefined)
      throw new UsageError("--undone shows one iteration; name only one: converge diff RUN N --undone");
    process.stdout.write(undone ? await undoneDiff(app, id, from) : await diffRun(app, id, from, to));
    if (undone || from === undefined || to !== undefined) return 0;
    const iteration = await undoneIterationOf(app, id, from);
    // On standard error, so that standard output remains a valid patch.
    if (iteration) printNote(undoneLine(id, iteration));
    return 0;
  },
};
