// converge logs: the full, uncut output of agents and gates.
import { once } from "node:events";
import fs from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import { plain } from "#text/plain-text";
import type { LogFile } from "#views/log-files";
import type { Command } from "../support/command.ts";
import { RUN_OR_LAST } from "../support/flags.ts";
import { printJson } from "../support/messages.ts";
import { type OpenRun, openRun, viewRun } from "../support/open-run.ts";
import { iterationNumber } from "../support/values.ts";

interface LogsFlags {
  readonly iteration?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const CHUNK = 65_536;
const POLL_MS = 200;
/** Empty polls before --follow gives up on a run of another machine: its driver uploads the last logs after the end. */
const MAX_EMPTY_POLLS = 10;

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Read position in a log file. The decoder buffers an incomplete UTF-8 character. */
interface Cursor {
  at: number;
  readonly inode: number;
  readonly decoder: StringDecoder;
}

/** Prints the unread rest of a file in chunks, without control codes. Returns whether there was any. */
async function printRest(log: LogFile, cursor: Cursor): Promise<boolean> {
  const before = cursor.at;
  const handle = fs.openSync(log.file, "r");
  const bytes = Buffer.alloc(CHUNK);
  try {
    for (;;) {
      const read = fs.readSync(handle, bytes, 0, CHUNK, cursor.at);
      if (read === 0) return cursor.at > before;
      cursor.at += read;
      await write(plain(cursor.decoder.write(bytes.subarray(0, read))));
    }
  } finally {
    fs.closeSync(handle);
  }
}

async function findLogs(opened: OpenRun, iteration: number | undefined) {
  const { fetchLogs } = await import("#views/fetch-logs");
  const { logFiles } = await import("#views/log-files");
  const { run, driver } = await viewRun(opened);
  const isRemote = (await fetchLogs(opened.app, opened.id, iteration)) > 0;
  return { files: logFiles(opened.app, run, iteration), isOver: driver === undefined, isRemote };
}

function title({ iteration, part, stream }: LogFile): string {
  return `── ${iteration === 0 ? "baseline" : `iteration ${iteration}`} · ${part} · ${stream}\n`;
}

/** Prints what is new in a log. A new or rewritten log starts over, below its title. */
function logPrinter(): (log: LogFile) => Promise<boolean> {
  const cursors = new Map<string, Cursor>();
  return async (log) => {
    const known = cursors.get(log.file);
    const { size, ino: inode } = fs.statSync(log.file);
    const isKnown = known !== undefined && known.inode === inode && known.at <= size;
    const cursor = isKnown ? known : { at: 0, inode, decoder: new StringDecoder("utf8") };
    if (!isKnown) await write(title(log));
    cursors.set(log.file, cursor);
    return printRest(log, cursor);
  };
}

export const command: Command = {
  name: "logs",
  description: "print the full output of agents and gates",
  arguments: [RUN_OR_LAST],
  options: [
    { flags: "--iteration <n>", description: "only this iteration; 0 is the baseline" },
    { flags: "-f, --follow", description: "keep printing new output until the run ends" },
    { flags: "--json", description: "list the log files as JSON lines instead" },
  ],
  isRead: true,
  async run([typed]: [string], flags: LogsFlags) {
    const opened = await openRun(typed);
    const iteration = iterationNumber(flags.iteration);
    const printNew = logPrinter();
    for (let emptyPolls = 0; ; ) {
      const { files, isOver, isRemote } = await findLogs(opened, iteration);
      if (flags.json) {
        for (const log of files) printJson(log);
        return 0;
      }
      emptyPolls = isOver ? emptyPolls + 1 : 0;
      for (const log of files) if (await printNew(log)) emptyPolls = 0;
      if (!flags.follow || (isOver && (!isRemote || emptyPolls > MAX_EMPTY_POLLS))) return 0;
      await sleep(POLL_MS);
    }
  },
};
