// Every failure passes through here, so that none is unbounded or carries control characters (XML and JSON can
// smuggle them past the cleaning of the whole output).

import type { Failure } from "#spec/verdict";
import { head, plain } from "#text/plain-text";

type Found = { readonly [Key in keyof Failure]?: string | undefined };

const LONGEST_ID = 500;
const LONGEST_TEXT = 1_000;

export function failure(found: Found): Failure {
  const { id, location, expected, actual } = found;
  return {
    ...(id === undefined ? {} : { id: oneLine(id) }),
    message: bounded(found.message ?? "") || "failed",
    ...(location === undefined ? {} : { location: oneLine(location) }),
    ...(expected === undefined ? {} : { expected: bounded(expected) }),
    ...(actual === undefined ? {} : { actual: bounded(actual) }),
  };
}

/** It is no test but a whole file, which broke at a place in itself. */
export function isFile({ id, location }: Failure): boolean {
  return id !== undefined && (location?.startsWith(`${id}:`) ?? false);
}

function oneLine(text: string): string {
  return head(plain(text).split(/\s+/).join(" ").trim(), LONGEST_ID);
}

function bounded(text: string): string {
  return head(plain(text).trim(), LONGEST_TEXT);
}
