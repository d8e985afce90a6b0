// Finds the report files that a command wrote: only regular files of the workspace, and only from this run.
import fs from "node:fs";
import path from "node:path";
import picomatch from "picomatch";
import { readReport } from "#parsers/recognise";
import { mergeReports, type TestReport } from "#parsers/shared/report";
import { readTail } from "#system/files";
import { isInsideResolved } from "#system/inside";
import { secrets } from "#system/secrets/secrets";
import { FOREIGN_FOLDERS, walk } from "#system/walk";
import { relativePaths } from "./relative-paths.ts";

/** Maps a path to a version that changes with every write. */
export type FileVersions = ReadonlyMap<string, string>;

export interface ReportPlace {
  /** The workspace; reports outside it are ignored. */
  readonly dir: string;
  /** The command's working folder. */
  readonly cwd: string;
  /** Path or glob, relative to `cwd`. */
  readonly report: string;
}

const BYTES = 64 * 1024 * 1024;
/** Maximum files and folders to search. */
const MOST_ENTRIES = 100_000;

export function fileVersions(place: ReportPlace): FileVersions {
  const versions = filesAt(place).flatMap((file) => {
    const version = fileVersion(place.dir, file);
    return version === undefined ? [] : [[file, version] as const];
  });
  return new Map(versions);
}

/** Combines the reports of all files that are new or rewritten. */
export function reportSince(before: FileVersions, place: ReportPlace): TestReport | undefined {
  let left = BYTES;
  const reports: TestReport[] = [];
  for (const [file, version] of fileVersions(place)) {
    if (before.get(file) === version) continue;
    const text = readTail(file, left);
    left = Math.max(0, left - text.length);
    const report = readReport(relativePaths(secrets.mask(text), place.dir));
    if (report !== undefined) reports.push(report);
  }
  return mergeReports(reports);
}

// Rejects links, FIFOs, and files behind a linked folder that leads out of the workspace.
export function fileVersion(dir: string, file: string): string | undefined {
  try {
    const stat = fs.lstatSync(file, { bigint: true });
    if (!stat.isFile() || !isInsideResolved(dir, path.dirname(file))) return undefined;
    return `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  } catch {
    return undefined;
  }
}

function filesAt({ cwd, report }: ReportPlace): readonly string[] {
  const { isGlob, base } = picomatch.scan(report);
  if (!isGlob) return [path.resolve(cwd, report)];
  const start = path.resolve(cwd, base);
  const matches = picomatch(path.posix.normalize(report), { dot: true });
  // The walk does not follow links; each match is checked again.
  return filesBelow(start).filter((file) => matches(path.relative(cwd, file)));
}

// Finds none when there are too many entries, which no gate takes for a pass.
function filesBelow(start: string): readonly string[] {
  const files: string[] = [];
  let entries = 0;
  for (const { name, entry } of walk(start, { skipped: FOREIGN_FOLDERS, onUnreadable: () => {} })) {
    if (++entries > MOST_ENTRIES) return [];
    if (entry.isFile()) files.push(path.join(start, name));
  }
  return files.sort();
}
