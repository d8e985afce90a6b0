// Writes and removes files that belong to Converge, recognised by a marker. Never touches a file without the marker.
import fs from "node:fs";
import { UsageError } from "#spec/errors";
import { readIfThere, removeFile, writeWhole } from "../settings-file.ts";

/** File contents by path. */
export type OwnFiles = Readonly<Record<string, string>>;

const MARK = "Part of converge-loop";

/** Marker comment in every file of ours. */
export const markFor = (host: string) =>
  `${MARK}: \`converge hook install ${host}\` writes it, \`converge hook uninstall ${host}\` takes it away.`;

export type Owner = "nobody" | "us" | "another";

const isMarked = (text: string) => text.includes(MARK);

/** Owner of a file. A dangling link counts as "nobody": writing goes through it. */
export function ownerOf(file: string, isOurs = isMarked): Owner {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return "nobody";
  return stat.isFile() && isOurs(readIfThere(file) ?? "") ? "us" : "another";
}

/** Rejects files of others. Must run before anything is written. */
export function refuseForeign(files: OwnFiles, kind: string, remedy: string): void {
  for (const file of Object.keys(files))
    if (ownerOf(file) === "another")
      throw new UsageError(
        `${file}: expected no ${kind} of this name, got one that Converge did not write; ${remedy}. Nothing was changed`,
      );
}

/** Writes the files; returns what it did, as sentences. */
export function putFiles(files: OwnFiles): readonly string[] {
  return Object.entries(files).flatMap(([file, text]) => {
    if (readIfThere(file) === text) return [];
    writeWhole(file, text);
    return [`Wrote ${file}.`];
  });
}

/** Removes our files; returns what it did, as sentences. */
export function removeFiles(files: OwnFiles): readonly string[] {
  const ours = Object.keys(files).filter((file) => ownerOf(file) === "us");
  for (const file of ours) removeFile(file);
  return ours.map((file) => `Removed ${file}.`);
}
