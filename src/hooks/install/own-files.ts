// Files that are all ours, beside those of others: known by a mark in them. One of that name without it is never touched.
import fs from "node:fs";
import { UsageError } from "#spec/errors";
import { readIfThere, removeFile, writeWhole } from "../settings-file.ts";

/** By path, with what is to be in them. */
export type OwnFiles = Readonly<Record<string, string>>;

const MARK = "Part of converge-loop";

/** What stands in every file of ours, as a comment. */
export const markFor = (host: string) =>
  `${MARK}: \`converge hook install ${host}\` writes it, \`converge hook uninstall ${host}\` takes it away.`;

export type Owner = "nobody" | "us" | "another";

const isMarked = (text: string) => text.includes(MARK);

/** Nobody's is a link that leads nowhere, too: it is written through. */
export function ownerOf(file: string, isOurs = isMarked): Owner {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return "nobody";
  return stat.isFile() && isOurs(readIfThere(file) ?? "") ? "us" : "another";
}

/** Before anything is written. */
export function refuseForeign(files: OwnFiles, kind: string, remedy: string): void {
  for (const file of Object.keys(files))
    if (ownerOf(file) === "another")
      throw new UsageError(
        `${file}: expected no ${kind} of this name, got one that is not ours; ${remedy}. Nothing was changed`,
      );
}

/** What was done, in sentences. */
export function putFiles(files: OwnFiles): readonly string[] {
  return Object.entries(files).flatMap(([file, text]) => {
    if (readIfThere(file) === text) return [];
    writeWhole(file, text);
    return [`Wrote ${file}.`];
  });
}

/** Those that are ours; what was done, in sentences. */
export function removeFiles(files: OwnFiles): readonly string[] {
  const ours = Object.keys(files).filter((file) => ownerOf(file) === "us");
  for (const file of ours) removeFile(file);
  return ours.map((file) => `Removed ${file}.`);
}
