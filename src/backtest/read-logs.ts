// The logs in a folder, read line by line: what is no log is named and passed over.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { readLog } from "./log.ts";
import type { Sequence } from "./sequence.ts";

/** More than any run needs; nothing longer is kept in memory. */
const LONGEST_LINE = 16 * 1024 * 1024;
const ENDING = ".jsonl";

export interface ReadLogs {
  readonly sequences: readonly Sequence[];
  /** Lines that are no log, as file:line. */
  readonly unread: readonly string[];
}

/** Lines without their end; undefined for one that is too long. */
async function* linesOf(file: string, longest: number): AsyncGenerator<string | undefined> {
  let line = "";
  let tooLong = false;
  for await (const chunk of fs.createReadStream(file, { encoding: "utf8" })) {
    const [first = "", ...more] = (chunk as string).split("\n");
    for (const piece of [first, ...more.flatMap((each) => [undefined, each])]) {
      if (piece === undefined) {
        yield tooLong ? undefined : line;
        [line, tooLong] = ["", false];
      } else if (tooLong || line.length + piece.length > longest) [line, tooLong] = ["", true];
      else line += piece;
    }
  }
  if (tooLong || line !== "") yield tooLong ? undefined : line;
}

function filesIn(place: string): readonly string[] {
  const found = fs.statSync(place, { throwIfNoEntry: false });
  if (!found)
    throw new UsageError(`--data: expected a folder with ${ENDING} files, and there is no ${place}`);
  if (!found.isDirectory()) return [place];
  const names = fs.readdirSync(place, { withFileTypes: true }).filter((each) => !each.isDirectory());
  const files = names.map(({ name }) => name).filter((name) => name.endsWith(ENDING));
  if (files.length > 0) return files.sort().map((name) => path.join(place, name));
  throw new UsageError(
    `--data: expected ${ENDING} files in ${place}, and there are none; write one run a line (docs/backtest.md), or leave out --data to replay recorded runs`,
  );
}

/** A folder, or one file. */
export async function readLogs(place: string, longest = LONGEST_LINE): Promise<ReadLogs> {
  const sequences: Sequence[] = [];
  const unread: string[] = [];
  for (const file of filesIn(place)) {
    let number = 0;
    for await (const line of linesOf(file, longest)) {
      number++;
      if (line?.trim() === "") continue;
      const read = line === undefined ? undefined : readLog(line, path.basename(file, ENDING));
      if (read) sequences.push(read);
      else unread.push(`${file}:${number}`);
    }
  }
  return { sequences, unread };
}
