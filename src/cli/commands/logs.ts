// converge logs: the full, uncut output of agents and gates.
import fs from "node:fs";
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

/** Writes what the file has from `from` on, inert, a piece at a time; returns where it ended. */
function copy(log: LogFile, from: number): number {
  const handle = fs.openSync(log.file, "r");
  const decoder = new TextDecoder();
  const bytes = Buffer.alloc(CHUNK);
  let at = from;
  try {
    for (;;) {
      const read = fs.readSync(handle, bytes, 0, CHUNK, at);
      if (read === 0) return at;
      at += read;
      fs.writeSync(1, plain(decoder.decode(bytes.subarray(0, read), { stream: true })));
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
  const seen = new Map<string, number>();
  for (;;) {
    const { files, over } = await current(app, id, iteration);
    if (flags.json) {
      for (const log of files) process.stdout.write(`${JSON.stringify(log)}\n`);
      return 0;
    }
    for (const log of files) {
      if (!seen.has(log.file)) fs.writeSync(1, title(log));
      seen.set(log.file, copy(log, seen.get(log.file) ?? 0));
    }
    if (!flags.follow || over) return 0;
    await sleep(POLL_MS);
  }
}
