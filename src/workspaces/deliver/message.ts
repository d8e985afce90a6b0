// Text for commits and pull requests. It comes from prompts, gates and agents: sanitized, bounded, passed in files.

import type { DeliveryRequest } from "#spec/workspace";
import { writePrivate } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { head, plain } from "#text/plain-text";
import { scratch } from "./delivery.ts";

const TITLE_CHARS = 200;
const BODY_CHARS = 8_000;
const SAID_CHARS = 160;

export interface Words {
  readonly title: string;
  readonly body: string;
}

/** Formats the text as a code block, so that it contains no heading, mention, trailer or link. */
function block(text: string): string {
  return plain(text)
    .trim()
    .split("\n")
    .map((line) => `    ${line}`.trimEnd())
    .join("\n");
}

export function wordsFor({ how, message, body, run }: DeliveryRequest): Words {
  const [first = "", ...rest] = plain(secrets.mask(how.message ?? message))
    .trim()
    .split("\n");
  const title = first.trim() || `Work of converge run ${run}`;
  const more = [rest.join("\n").trim(), block(head(secrets.mask(body), BODY_CHARS))].filter(Boolean);
  return { title: head(title, TITLE_CHARS), body: `${head(more.join("\n\n"), 2 * BODY_CHARS)}\n` };
}

/** The beginning of a program's error output, on one line. */
export function said(words: string): string {
  return head(
    plain(words)
      .trim()
      .replace(/\s*\n\s*/g, " "),
    SAID_CHARS,
  );
}

/** Writes the text to a file for a program to read and returns its path. */
export function messageFile(request: DeliveryRequest, name: string, text: string): string {
  const file = scratch(request, name);
  writePrivate(file, text);
  return file;
}
