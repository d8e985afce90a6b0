// Finds the log files of a run, and reads the newest lines of the current agent or gate.
import fs from "node:fs";
import path from "node:path";
import { progressOf } from "#loop/progress";
import type { LogEntry } from "#spec/overview";
import { AGENT_PART, MEMORY_PART, SETUP_PART } from "#spec/ports";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { readTail, sizeOf } from "#system/files";
import { plain } from "#text/plain-text";

export interface LogFile {
  readonly iteration: number;
  /** "agent", the set-up of a clean room, "memory", or the name of the gate, with a number when it runs several times. */
  readonly part: string;
  readonly stream: string;
  readonly file: string;
}

/** An agent that prints JSON has a transcript, which is shown in place of stdout. */
const STREAMS = ["transcript", "stdout", "stderr"];
const NEWEST_BYTES = 8_192;

/** Log folders of a run: originals, and copies of logs from other state folders. */
interface Folders {
  readonly originals: string;
  readonly copies?: string;
}

function foldersOf({ home }: Context, { id }: Run): Folders {
  const copies = home.copiesOf(id);
  return { originals: home.runDir(id), ...(fs.existsSync(copies) && { copies }) };
}

/** Prefers the copy: it exists only when the original is missing, or when the iteration was redone on another machine. */
function resolveLog({ originals, copies }: Folders, original: string): string {
  const copy = copies && path.join(copies, path.relative(originals, original));
  return copy && fs.existsSync(copy) ? copy : original;
}

/** A gate that judges several times has a numbered folder for each attempt. */
function attemptsIn({ originals, copies }: Folders, dir: string): number[] {
  const dirs = copies ? [dir, path.join(copies, path.relative(originals, dir))] : [dir];
  const names = dirs.filter((one) => fs.existsSync(one)).flatMap((one) => fs.readdirSync(one));
  const numbers = names.filter((name) => /^[1-9]\d{0,2}$/.test(name)).map(Number);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Where the logs of a run are. */
interface RunLogs {
  readonly home: Context["home"];
  readonly run: Run;
  readonly folders: Folders;
}

function runLogs(app: Context, run: Run): RunLogs {
  return { home: app.home, run, folders: foldersOf(app, run) };
}

function filesOf({ home, run, folders }: RunLogs, iteration: number, part: string): LogFile[] {
  const dir = home.partDir(run.id, iteration, part);
  const streams = (folder: string, name: string) => {
    const all = STREAMS.map((stream) => ({
      iteration,
      part: name,
      stream,
      file: resolveLog(folders, path.join(folder, `${stream}.log`)),
    }));
    const [transcript, ...rest] = all;
    return transcript && fs.existsSync(transcript.file)
      ? all.filter(({ stream }) => stream !== "stdout")
      : rest;
  };
  const attempts = attemptsIn(folders, dir).flatMap((attempt) =>
    streams(path.join(dir, String(attempt)), `${part} run ${attempt}`),
  );
  return [...streams(dir, part), ...attempts];
}

function filesIn(logs: RunLogs, isWanted: (iteration: number) => boolean): LogFile[] {
  const { run } = logs;
  const numbers = [0, ...run.iterations.map((one) => one.number)].filter(isWanted);
  const parts = [AGENT_PART, SETUP_PART, ...run.task.gates.map((gate) => gate.name), MEMORY_PART];
  return numbers
    .flatMap((number) => [...new Set(parts)].flatMap((part) => filesOf(logs, number, part)))
    .filter(({ file }) => fs.existsSync(file) && fs.statSync(file).size > 0);
}

/** The logs that exist, in the order in which they were written. */
export function logFiles(app: Context, run: Run, iteration?: number): LogFile[] {
  const isWanted = (number: number) => iteration === undefined || number === iteration;
  return filesIn(runLogs(app, run), isWanted);
}

/** Logs written on this machine, from an iteration on. */
export function originalLogs({ home }: Context, run: Run, from: number): LogFile[] {
  const folders = { originals: home.runDir(run.id) };
  return filesIn({ home, run, folders }, (number) => number >= from);
}

/** The logs of an iteration as the page lists them. */
export function logEntries(app: Context, run: Run, iteration: number): LogEntry[] {
  return logFiles(app, run, iteration).map(({ part, stream, file }) => ({
    part,
    stream,
    bytes: sizeOf(file),
  }));
}

/** The last lines of the agent, or of the gate that is running. */
export function newestLines(app: Context, run: Run, count: number): string[] {
  const { phase } = progressOf(run);
  const part = phase.name === "gate" ? phase.gate : "agent";
  const number = run.iterations.at(-1)?.number ?? 0;
  const newest = filesOf(runLogs(app, run), number, part ?? "agent")
    .map(({ file }) => ({ file, time: fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time)[0];
  if (!newest || newest.time === 0) return [];
  return plain(readTail(newest.file, NEWEST_BYTES))
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-count);
}
