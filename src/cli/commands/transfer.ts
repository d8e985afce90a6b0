// converge export, converge import
import fs from "node:fs";
import { type Exported, exportRun } from "#runs/transfer/export";
import { importRun } from "#runs/transfer/import";
import { UsageError } from "#spec/errors";
import { openContext } from "#state/context";
import { findRun } from "#state/find-run";
import { replaceFileAsync } from "#system/files";
import { counted } from "../output/format.ts";

/** Atomic write with mode 0600, because the export holds all data of the run. */
async function toFile(
  file: string,
  write: (to: NodeJS.WritableStream) => Promise<Exported>,
): Promise<Exported> {
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

export async function exporting(given: string, flags: { readonly output?: string }): Promise<number> {
  const app = openContext();
  const id = await findRun(app, given);
  const file = flags.output ?? `converge-${id}.tar.gz`;
  const write = (to: NodeJS.WritableStream) => exportRun(app, id, to);
  const { events, snapshots, logs, leftOut } =
    file === "-" ? await write(process.stdout) : await toFile(file, write);
  const rest = leftOut > 0 ? `; ${counted(leftOut, "file")} left out: links, or odd names` : "";
  process.stderr.write(
    `run ${id} is in ${file === "-" ? "standard output" : file}: ${counted(events, "event")}, ${counted(snapshots, "snapshot")}, ${counted(logs, "log")}${rest}\n` +
      "it holds the prompts, the output of agents and gates, and every file of the snapshots: give it to those who may read them\n",
  );
  return 0;
}

export async function importing(file: string, flags: { readonly workspace?: string }): Promise<number> {
  const { run, snapshots, logs, onlyPlaced } = await importRun(openContext(), file, flags.workspace);
  const place = flags.workspace ?? run.dir;
  const lies = fs.existsSync(place)
    ? `its workspace is ${place}; put its last files there with: converge restore ${run.id} --iteration last`
    : `its workspace ${place} is not on this machine: it can be looked at, and goes on after converge import ${file} --workspace DIR`;
  process.stdout.write(
    `run ${run.id} ${onlyPlaced ? "was here already" : `is here: ${counted(run.seq, "event")}, ${counted(snapshots, "snapshot")}, ${counted(logs, "log")}`}\n${lies}\n`,
  );
  return 0;
}
