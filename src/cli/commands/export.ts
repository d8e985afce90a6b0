// converge export

import fs from "node:fs";
import type { Exported } from "#runs/transfer/export";
import { UsageError } from "#spec/errors";
import { counted } from "../output/format.ts";
import type { Command } from "../support/command.ts";
import { RUN_OR_LAST } from "../support/flags.ts";
import { printNote } from "../support/messages.ts";
import { openRun } from "../support/open-run.ts";

type Write = (to: NodeJS.WritableStream) => Promise<Exported>;

/** Atomic write with mode 0600, because the export holds all data of the run. */
async function writeToFile(file: string, write: Write): Promise<Exported> {
  const { replaceFileAsync } = await import("#system/files");
  const fill = (temporary: string) =>
    write(fs.createWriteStream(temporary, { fd: fs.openSync(temporary, "wx", 0o600) }));
  try {
    return await replaceFileAsync(file, fill, { durable: true });
  } catch (error) {
    if (error instanceof UsageError || (error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new UsageError(
      `cannot write the export: ${(error as Error).message}; name another file with --output`,
    );
  }
}

export const command: Command = {
  name: "export",
  description: "write a run to one file, for another machine: its events, logs and snapshots",
  arguments: [RUN_OR_LAST],
  options: [
    {
      flags: "-o, --output <file>",
      description: "file to write; - is standard output (default: converge-RUN.tar.gz)",
    },
  ],
  notes: `The file contains the prompts, the output of agents and gates, and every file of the snapshots. Secrets are masked in
events and logs, but not in the files of the snapshots.`,
  examples: ["converge export last", 'converge export k3f9x2ab -o - | ssh other "cat > run.tar.gz"'],
  async run([typed]: [string], flags: { readonly output?: string }) {
    const { exportRun } = await import("#runs/transfer/export");
    const { app, id } = await openRun(typed);
    const file = flags.output ?? `converge-${id}.tar.gz`;
    const write: Write = (to) => exportRun(app, id, to);
    const { events, snapshots, logs, leftOut } =
      file === "-" ? await write(process.stdout) : await writeToFile(file, write);
    const rest = leftOut > 0 ? `; left out ${counted(leftOut, "file")}: links, or unusual names` : "";
    printNote(
      `exported run ${id} to ${file === "-" ? "standard output" : file}: ${counted(events, "event")}, ${counted(snapshots, "snapshot")}, ${counted(logs, "log")}${rest}`,
    );
    printNote(
      "it contains the prompts, the output of agents and gates, and every file of the snapshots: share it only with people who may read them",
    );
    return 0;
  },
};
