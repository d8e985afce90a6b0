// converge logs: the full, uncut output of agents and gates.
import { once } from "node:events";
import fs from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import { findRun } from "#app/find-run";
import { type LogFile, logFiles } from "#app/logs";
import { type App, openApp } from "#app/open";
import { viewOf } from "#app/view";
import { UsageError } from "#spec/errors";
import { plain } from "#spec/text";

export interface LogsFlags {
  readonly iteration?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const CHUNK = 65_536;
const POLL_MS = 200;

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** How far a file has been shown; the decoder keeps a character that is not all there yet. */
interface Reading {
  at: number;
  readonly decoder: StringDecoder;
}

/** Writes what the file has more than was read of it, inert, a piece at a time. */
async function copy(log: LogFile, reading: Reading): Promise<void> {
  const handle = fs.openSync(log.file, "r");
  const bytes = Buffer.alloc(CHUNK);
  try {
    for (;;) {
      const read = fs.readSync(handle, bytes, 0, CHUNK, reading.at);
      if (read === 0) return;
      reading.at += read;
      await print(plain(reading.decoder.write(bytes.subarray(0, read))));
    }
  } finally {
    fs.closeSync(handle);
  }
}

async function current(app: App, id: string, iteration: number | undefined) {
  const view = await viewOf(app, id);
  if (!view) throw new UsageError(`run ${id} has no events`);
  return { files: logFiles(app, view.run, iteration), over: view.driver === undefined };
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

export async function logs(given: string, flags: LogsFlags): Promise<number> {
  const app = openApp();
  const id = await findRun(app, given);
  const iteration = iterationFrom(flags.iteration);
  const seen = new Map<string, Reading>();
  for (;;) {
    const { files, over } = await current(app, id, iteration);
    if (flags.json) {
      for (const log of files) process.stdout.write(`${JSON.stringify(log)}\n`);
      return 0;
    }
    for (const log of files) {
      const reading = seen.get(log.file) ?? { at: 0, decoder: new StringDecoder("utf8") };
      if (!seen.has(log.file)) await print(title(log));
      seen.set(log.file, reading);
      await copy(log, reading);
    }
    if (!flags.follow || over) return 0;
    await sleep(POLL_MS);
  }
}
