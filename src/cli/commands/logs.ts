// converge logs: the full, uncut output of agents and gates.
import { once } from "node:events";
import fs from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "#spec/errors";
import { type Context, openContext } from "#state/context";
import { findRun } from "#state/find-run";
import { plain } from "#text/plain-text";
import { fetchLogs } from "#views/fetch-logs";
import { type LogFile, logFiles } from "#views/log-files";
import { viewOf } from "#views/run-view";

export interface LogsFlags {
  readonly iteration?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const CHUNK = 65_536;
const POLL_MS = 200;
/** Looks in a row that brought nothing after a run elsewhere was over: whoever drove it sends the rest after that. */
const PATIENCE = 10;

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** How far a file has been shown; the decoder keeps a character that is not all there yet. */
interface Reading {
  at: number;
  readonly inode: number;
  readonly decoder: StringDecoder;
}

/** Writes what the file has more than was read of it, inert, a piece at a time; tells whether there was something. */
async function copy(log: LogFile, reading: Reading): Promise<boolean> {
  const before = reading.at;
  const handle = fs.openSync(log.file, "r");
  const bytes = Buffer.alloc(CHUNK);
  try {
    for (;;) {
      const read = fs.readSync(handle, bytes, 0, CHUNK, reading.at);
      if (read === 0) return reading.at > before;
      reading.at += read;
      await print(plain(reading.decoder.write(bytes.subarray(0, read))));
    }
  } finally {
    fs.closeSync(handle);
  }
}

async function current(app: Context, id: string, iteration: number | undefined) {
  const view = await viewOf(app, id);
  if (!view) throw new UsageError(`run ${id} has no events`);
  const isElsewhere = (await fetchLogs(app, id, iteration)) > 0;
  return { files: logFiles(app, view.run, iteration), over: view.driver === undefined, isElsewhere };
}

function title({ iteration, part, stream }: LogFile): string {
  return `── ${iteration === 0 ? "baseline" : `iteration ${iteration}`} · ${part} · ${stream}\n`;
}

function iterationFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new UsageError(`--iteration: expected a number from 0 (the baseline) on, got "${text}"`);
}

/** Shows what is new of a log, below its title; one that was written anew from its beginning. */
function shower(): (log: LogFile) => Promise<boolean> {
  const seen = new Map<string, Reading>();
  return async (log) => {
    const known = seen.get(log.file);
    const { size, ino: inode } = fs.statSync(log.file);
    const isKnown = known !== undefined && known.inode === inode && known.at <= size;
    const reading = isKnown ? known : { at: 0, inode, decoder: new StringDecoder("utf8") };
    if (!isKnown) await print(title(log));
    seen.set(log.file, reading);
    return copy(log, reading);
  };
}

export async function logs(given: string, flags: LogsFlags): Promise<number> {
  const app = openContext();
  const id = await findRun(app, given);
  const iteration = iterationFrom(flags.iteration);
  const show = shower();
  for (let quiet = 0; ; ) {
    const { files, over, isElsewhere } = await current(app, id, iteration);
    if (flags.json) {
      for (const log of files) process.stdout.write(`${JSON.stringify(log)}\n`);
      return 0;
    }
    quiet = over ? quiet + 1 : 0;
    for (const log of files) if (await show(log)) quiet = 0;
    if (!flags.follow || (over && (!isElsewhere || quiet > PATIENCE))) return 0;
    await sleep(POLL_MS);
  }
}
