// What programs get whose hooks are commands: our hooks in their settings, and files of ours beside them. Everything is
// looked at before anything is written, and taking it out leaves what was there before.
import { isDeepStrictEqual } from "node:util";
import { checked, type Entries, withHooks, withoutHooks } from "../hook-text.ts";
import type { Json } from "../json.ts";
import { readIfThere, removeEmpty, removeFile, writeWhole } from "../settings-file.ts";
import { type OwnFiles, putFiles, refuseForeign, removeFiles } from "./own-files.ts";

export interface Parts {
  readonly host: string;
  /** The file that our hooks stand in. */
  readonly settings: string;
  readonly hooks: Entries;
  readonly files: OwnFiles;
  /** What these files are, and what to do about another's of the same name. */
  readonly kind: string;
  readonly remedy: string;
  /** Folders that go when nothing is in them any more; inner ones first. */
  readonly folders: readonly string[];
}

export interface PutIn {
  /** The settings before, when there were any, and after. */
  readonly was: Json | undefined;
  readonly is: Json;
  /** In sentences; nothing when all was there already. */
  readonly done: readonly string[];
}

type Edit<Result> = (text: string) => Result;

/** `edit` puts into the settings what else the program needs. */
export function putIn(parts: Parts, edit: Edit<string> = (text) => text): PutIn {
  const { host, settings, hooks, files, kind, remedy } = parts;
  const events = Object.keys(hooks);
  const before = readIfThere(settings);
  const after = edit(withHooks(settings, before, host, hooks));
  const was = before === undefined ? undefined : checked(settings, before, events);
  const is = checked(settings, after, events);
  refuseForeign(files, kind, remedy);

  if (after !== before) writeWhole(settings, after);
  const isNew = !isDeepStrictEqual(was?.hooks, is.hooks);
  const wrote = isNew ? [`Wrote hooks for ${events.join(", ")} into ${settings}.`] : [];
  return { was, is, done: [...wrote, ...putFiles(files)] };
}

function givenBack(file: string, before: string | undefined, left: string | undefined): readonly string[] {
  if (before === left) return [];
  if (left === undefined) removeFile(file);
  else writeWhole(file, left);
  return [left === undefined ? `Removed ${file}.` : `Took our hooks out of ${file}.`];
}

/** What was done, in sentences. `edit` takes out of the settings what was put in besides hooks. */
export function takeOut(parts: Parts, edit: Edit<string | undefined> = (text) => text): readonly string[] {
  const { host, settings, hooks, files, folders } = parts;
  const before = readIfThere(settings);
  if (before !== undefined) checked(settings, before, Object.keys(hooks));
  const rest = before === undefined ? undefined : edit(before);
  const left = rest === undefined ? undefined : withoutHooks(rest, host);

  const done = [...givenBack(settings, before, left), ...removeFiles(files)];
  if (done.length > 0) removeEmpty(folders);
  return done;
}
