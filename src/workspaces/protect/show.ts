// What became of the protected files, to be read: what is there now against what was sealed.
import { protectionName } from "#spec/protection-name";
import { head, plain } from "#spec/text";
import type { FileChange, Tampering } from "#spec/workspace";
import { secrets } from "#system/secrets";
import type { Difference } from "./compare.ts";
import { idOf, looker } from "./entry.ts";
import type { Seals, Stored } from "./seals.ts";

const LISTED = 200;
const DIFF_CHARS = 20_000;
/** A file that grew beyond this is shown by its beginning. */
const SHOWN_BYTES = 4 * 1024 * 1024;

const lines = (sign: string, value: unknown): string[] =>
  value === undefined
    ? []
    : JSON.stringify(value, null, 2)
        .split("\n")
        .map((line) => sign + line);

function valueDiff({ path, value }: Difference): string {
  if (!value) return "";
  const name = protectionName({ path, key: value.key });
  return [`--- ${name}`, `+++ ${name}`, ...lines("-", value.before), ...lines("+", value.now), ""].join("\n");
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
  const whole = listed.filter(({ value }) => !value);
  const now = whole.length > 0 ? await seals.store(filesNow(dir, whole), seal) : seal;
  const diff = now === seal ? "" : await seals.diff(seal, now);
  return {
    changes: listed.map(({ path, kind, value }): FileChange => {
      return { path: value ? protectionName({ path, key: value.key }) : path, kind };
    }),
    diff: head(plain(secrets.mask([...listed.map(valueDiff), diff].join(""))), DIFF_CHARS),
  };
}
