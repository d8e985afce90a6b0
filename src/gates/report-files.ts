// The report files that a command wrote: regular files of the workspace only, and only those of this very run.
import fs from "node:fs";
import path from "node:path";
import picomatch from "picomatch";
import { readReport } from "#parsers/read-report";
import { addedUp, type TestReport } from "#parsers/shared/report";
import { readTail } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { relative } from "./relative.ts";

/** What tells one writing of a file from another, by its path. */
export type Writings = ReadonlyMap<string, string>;

export interface ReportPlace {
  /** The workspace, which a report must not lie outside of. */
  readonly dir: string;
  /** Folder of the command. */
  readonly cwd: string;
  /** Path or glob, from there on. */
  readonly report: string;
}

const BYTES = 64 * 1024 * 1024;
/** Files and folders that are looked at to find them. */
const MOST_ENTRIES = 100_000;
const NEVER_REPORTS = new Set([".git", "node_modules"]);

export function writings(place: ReportPlace): Writings {
  const found = filesAt(place).flatMap((file) => {
    const writing = writingOf(place.dir, file);
    return writing === undefined ? [] : [[file, writing] as const];
  });
  return new Map(found);
}

/** What the files that were not there before, or are written anew, say together. */
export function reportSince(before: Writings, place: ReportPlace): TestReport | undefined {
  let left = BYTES;
  const reports: TestReport[] = [];
  for (const [file, writing] of writings(place)) {
    if (before.get(file) === writing) continue;
    const text = readTail(file, left);
    left = Math.max(0, left - text.length);
    const report = readReport(relative(secrets.mask(text), place.dir));
    if (report !== undefined) reports.push(report);
  }
  return addedUp(reports);
}

// A link or a FIFO is no report, and what lies behind a linked folder outside of the workspace is not the run's.
export function writingOf(dir: string, file: string): string | undefined {
  try {
    const stat = fs.lstatSync(file, { bigint: true });
    if (!stat.isFile() || !isInside(dir, path.dirname(file))) return undefined;
    return `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  } catch {
    return undefined;
  }
}

function isInside(dir: string, folder: string): boolean {
  const way = path.relative(fs.realpathSync(dir), fs.realpathSync(folder));
  return way !== ".." && !way.startsWith(`..${path.sep}`);
}

function filesAt({ cwd, report }: ReportPlace): readonly string[] {
  const { isGlob, base } = picomatch.scan(report);
  if (!isGlob) return [path.resolve(cwd, report)];
  const start = path.resolve(cwd, base);
  const matches = picomatch(path.posix.normalize(report), { dot: true });
  // Links are not followed further down; each file found is looked at once more.
  return filesBelow(start).filter((file) => matches(path.relative(cwd, file)));
}

// Too many to look at: then none is found, which no gate takes for a pass.
function filesBelow(start: string): readonly string[] {
  const folders = [start];
  const files: string[] = [];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      if (++entries > MOST_ENTRIES) return [];
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && !NEVER_REPORTS.has(entry.name)) folders.push(file);
      else if (entry.isFile()) files.push(file);
    }
  }
  return files.sort();
}

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
