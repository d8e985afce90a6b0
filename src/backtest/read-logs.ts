// Reads a folder of logs line by line, and reports the lines that are not logs.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { readLog } from "./log.ts";
import type { Sequence } from "./sequence.ts";

/** Longer lines are skipped, to bound memory. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;
const EXTENSION = ".jsonl";

export interface ReadLogs {
  readonly sequences: readonly Sequence[];
  /** Lines that are not logs, as file:line. */
  readonly unread: readonly string[];
}

/** Yields lines without their line break; undefined for one that is too long. */
async function* linesOf(file: string, maxChars: number): AsyncGenerator<string | undefined> {
  let line = "";
  let tooLong = false;
  for await (const chunk of fs.createReadStream(file, { encoding: "utf8" })) {
    const [first = "", ...more] = (chunk as string).split("\n");
    for (const piece of [first, ...more.flatMap((each) => [undefined, each])]) {
      if (piece === undefined) {
        yield tooLong ? undefined : line;
        [line, tooLong] = ["", false];
      } else if (tooLong || line.length + piece.length > maxChars) [line, tooLong] = ["", true];
      else line += piece;
    }
  }
  if (tooLong || line !== "") yield tooLong ? undefined : line;
}

function filesIn(source: string): readonly string[] {
  const stat = fs.statSync(source, { throwIfNoEntry: false });
  if (!stat)
    throw new UsageError(`--data: expected a folder with ${EXTENSION} files, but there is no ${source}`);
  if (!stat.isDirectory()) return [source];
  const names = fs.readdirSync(source, { withFileTypes: true }).filter((each) => !each.isDirectory());
  const files = names.map(({ name }) => name).filter((name) => name.endsWith(EXTENSION));
  if (files.length > 0) return files.sort().map((name) => path.join(source, name));
  throw new UsageError(
    `--data: expected ${EXTENSION} files in ${source}, but there are none; write one run per line (docs/backtest.md), or omit --data to replay recorded runs`,
  );
}

/** Reads a folder or a single file. */
export async function readLogs(source: string, maxChars = MAX_LINE_CHARS): Promise<ReadLogs> {
  const sequences: Sequence[] = [];
  const unread: string[] = [];
  for (const file of filesIn(source)) {
    let number = 0;
    for await (const line of linesOf(file, maxChars)) {
      number++;
      if (line?.trim() === "") continue;
      const sequence = line === undefined ? undefined : readLog(line, path.basename(file, EXTENSION));
      if (sequence) sequences.push(sequence);
      else unread.push(`${file}:${number}`);
    }
  }
  return { sequences, unread };
}
