// Words for a commit or a pull request. They come from prompts, gates and agents: made inert, bounded, handed over in files.

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

/** As a block of code: nothing in it is a heading, a mention, a trailer or a link. */
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

/** The beginning of what a program complained about, on one line. */
export function said(words: string): string {
  return head(
    plain(words)
      .trim()
      .replace(/\s*\n\s*/g, " "),
    SAID_CHARS,
  );
}

/** The file that holds the words, for a program to read. */
export function messageFile(request: DeliveryRequest, name: string, text: string): string {
  const file = scratch(request, name);
  writePrivate(file, text);
  return file;
}
