// Installs and uninstalls hooks and files for programs whose hooks are commands. Validates everything before it writes, and
// uninstalling restores the previous state.
import { isDeepStrictEqual } from "node:util";
import type { Json } from "#agents/shared/read-json";
import { type Entries, parseSettings, withHooks, withoutHooks } from "../hook-text.ts";
import { readIfThere, removeEmpty, removeFile, writeWhole } from "../settings-file.ts";
import { type OwnFiles, putFiles, refuseForeign, removeFiles } from "./own-files.ts";

export interface Parts {
  readonly host: string;
  /** Settings file for our hooks. */
  readonly settings: string;
  readonly hooks: Entries;
  readonly files: OwnFiles;
  /** Kind of these files, and advice for a file of someone else with the same name. */
  readonly kind: string;
  readonly remedy: string;
  /** Folders to remove when they are empty; inner ones first. */
  readonly folders: readonly string[];
}

export interface InstallResult {
  /** Settings before (if any) and after. */
  readonly was: Json | undefined;
  readonly is: Json;
  /** What was done, as sentences; empty when everything was up to date. */
  readonly done: readonly string[];
}

type Edit<Result> = (text: string) => Result;

/** Installs. `edit` adds other settings that the program needs. */
export function installParts(parts: Parts, edit: Edit<string> = (text) => text): InstallResult {
  const { host, settings, hooks, files, kind, remedy } = parts;
  const events = Object.keys(hooks);
  const before = readIfThere(settings);
  const was = before === undefined ? undefined : parseSettings(settings, before, events);
  const after = edit(withHooks(before, host, hooks));
  const is = parseSettings(settings, after, events);
  refuseForeign(files, kind, remedy);

  if (after !== before) writeWhole(settings, after);
  const isNew = !isDeepStrictEqual(was?.hooks, is.hooks);
  const wrote = isNew ? [`Wrote hooks for ${events.join(", ")} into ${settings}.`] : [];
  return { was, is, done: [...wrote, ...putFiles(files)] };
}

function restoreSettings(
  file: string,
  before: string | undefined,
  left: string | undefined,
): readonly string[] {
  if (before === left) return [];
  if (left === undefined) removeFile(file);
  else writeWhole(file, left);
  return [left === undefined ? `Removed ${file}.` : `Removed our hooks from ${file}.`];
}

/** Uninstalls; returns what it did, as sentences. `edit` removes the other settings. */
export function uninstallParts(
  parts: Parts,
  edit: Edit<string | undefined> = (text) => text,
): readonly string[] {
  const { host, settings, hooks, files, folders } = parts;
  const before = readIfThere(settings);
  if (before !== undefined) parseSettings(settings, before, Object.keys(hooks));
  const rest = before === undefined ? undefined : edit(before);
  const left = rest === undefined ? undefined : withoutHooks(rest, host);

  const done = [...restoreSettings(settings, before, left), ...removeFiles(files)];
  if (done.length > 0) removeEmpty(folders);
  return done;
}
