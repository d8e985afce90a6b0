// Formats changes to protected files for people: names and a diff against the seal, with secrets masked.

import type { FileChange, Tampering } from "#spec/workspace";
import { secrets } from "#system/secrets/secrets";
import { head, plain } from "#text/plain-text";
import { protectionName } from "#text/protection-name";
import type { Difference } from "./compare.ts";
import { idOf, looker } from "./sealed-entry.ts";
import type { Seals, Stored } from "./seals.ts";

const LISTED = 200;
const DIFF_CHARS = 20_000;
/** Larger files are truncated. */
const SHOWN_BYTES = 4 * 1024 * 1024;

const signed = (sign: string, text: string | undefined): string[] =>
  text === undefined ? [] : text.split("\n").map((line) => sign + line);

const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value, null, 2);

/** The display name of a value or a part; the path for a whole file. */
function nameOf({ path, value, part }: Difference): string {
  if (value) return protectionName({ path, key: value.key });
  return part ? protectionName({ path, part: part.of }) : path;
}

/** Diff of a value or a part; git makes the diff of whole files. */
function partDiff(one: Difference): string {
  const { value, part } = one;
  if (!value && !part) return "";
  const changes = part?.changes ?? [{ before: json(value?.before), now: json(value?.now) }];
  const body = changes.flatMap(({ before, now }) => [...signed("-", before), ...signed("+", now)]);
  return [`--- ${nameOf(one)}`, `+++ ${nameOf(one)}`, ...body, ""].join("\n");
}

function* filesNow(dir: string, found: readonly Difference[]): Generator<Stored> {
  const look = looker(dir);
  for (const { path } of found) {
    const bytes = look.bytes(path, SHOWN_BYTES);
    const mode = look.entry(path)?.mode ?? "other";
    yield bytes ? { path, mode, id: idOf(bytes), bytes } : { path, mode: "other", id: "" };
  }
}

export async function shown(
  dir: string,
  seal: string,
  found: readonly Difference[],
  seals: Seals,
): Promise<Tampering> {
  const listed = found.slice(0, LISTED);
  const whole = listed.filter(({ value, part }) => !value && !part);
  const now = whole.length > 0 ? await seals.store(filesNow(dir, whole), seal) : seal;
  const diff = now === seal ? "" : await seals.diff(seal, now);
  return {
    changes: listed.map((one): FileChange => ({ path: nameOf(one), kind: one.kind })),
    diff: head(plain(secrets.mask([...listed.map(partDiff), diff].join(""))), DIFF_CHARS),
  };
}
