// converge import
import fs from "node:fs";
import { counted } from "../output/format.ts";
import type { Command } from "../support/command.ts";
import { print } from "../support/messages.ts";

export const command: Command = {
  name: "import",
  description:
    "import a run that was exported on another machine; checks all of it first, overwrites nothing",
  arguments: [{ name: "<file>", description: "file from converge export" }],
  options: [
    {
      flags: "--workspace <dir>",
      description: "folder of the run's workspace on this machine, to restore or resume the run",
    },
  ],
  notes:
    "A resumed run executes the commands of its task: resume only runs that you would have started yourself.",
  examples: [
    ["converge import run.tar.gz", "to read: show, logs, diff, report"],
    ["converge import run.tar.gz --workspace ~/project", "also to restore and resume"],
    "converge restore RUN --iteration last && converge resume RUN",
  ],
  async run([file]: [string], flags: { readonly workspace?: string }) {
    const { importRun } = await import("#runs/transfer/import");
    const { openContext } = await import("#state/context");
    const { run, snapshots, logs, onlyPlaced } = await importRun(openContext(), file, flags.workspace);
    const place = flags.workspace ?? run.dir;
    print(
      onlyPlaced
        ? `run ${run.id} was imported before`
        : `imported run ${run.id}: ${counted(run.seq, "event")}, ${counted(snapshots, "snapshot")}, ${counted(logs, "log")}`,
    );
    print(
      fs.existsSync(place)
        ? `its workspace is ${place}; restore its last files there with: converge restore ${run.id} --iteration last`
        : `its workspace ${place} does not exist on this machine, so the run can only be read; to resume it: converge import ${file} --workspace DIR`,
    );
    return 0;
  },
};
