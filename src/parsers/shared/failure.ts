// Builds every failure: limits its size and removes control characters, which escapes in XML and JSON carry past the
// sanitizing of the whole output.

import type { Failure } from "#spec/verdict";
import { head, plain } from "#text/plain-text";

type FailureFields = { readonly [Key in keyof Failure]?: string | undefined };

const LONGEST_ID = 500;
const LONGEST_TEXT = 1_000;

export function failure(fields: FailureFields): Failure {
  const { id, location, expected, actual } = fields;
  return {
    ...(id === undefined ? {} : { id: oneLine(id) }),
    message: limitText(fields.message ?? "") || "failed",
    ...(location === undefined ? {} : { location: oneLine(location) }),
    ...(expected === undefined ? {} : { expected: limitText(expected) }),
    ...(actual === undefined ? {} : { actual: limitText(actual) }),
  };
}

/** Whether the failure is a whole file that broke, instead of a test. */
export function isFile({ id, location }: Failure): boolean {
  return id !== undefined && (location?.startsWith(`${id}:`) ?? false);
}

function oneLine(text: string): string {
  return head(plain(text).split(/\s+/).join(" ").trim(), LONGEST_ID);
}

function limitText(text: string): string {
  return head(plain(text).trim(), LONGEST_TEXT);
}
