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
/** Empty polls before --follow gives up on a run from elsewhere: its driver uploads the last logs after the end. */
const PATIENCE = 10;

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Read position in a log file. The decoder buffers an incomplete UTF-8 character. */
interface Reading {
  at: number;
  readonly inode: number;
  readonly decoder: StringDecoder;
}

/** Prints the unread rest of a file in chunks, without control codes. Returns whether there was any. */
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

/** Prints what is new in a log. A new or rewritten log starts over, below its title. */
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
