// Formats one invalid value as a message: what was expected, and what was given.
import type { z } from "zod";
import { nearest } from "#text/nearest-name";
import { head, plain } from "#text/plain-text";

const NOUNS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of keys",
  record: "a map of keys",
  nonoptional: "a value",
};

/** Formats a value for a message: short, on one line, without control characters. */
export function show(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return JSON.stringify(head(plain(value), 60));
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return `${value}`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map of keys" : `a ${typeof value}`;
}

/** zod error map: the message of every issue whose schema has no message of its own. Unions report through their branches. */
export function sentence(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${NOUNS[issue.expected] ?? issue.expected}, got ${show(issue.input)}`;
    case "invalid_value":
      return oneOf(issue.values, issue.input);
    case "too_small":
      return `expected ${bound(LOWER, issue.minimum, issue)}, got ${size(issue)}`;
    case "too_big":
      return `expected ${bound(UPPER, issue.maximum, issue)}, got ${size(issue)}`;
    case "invalid_union":
      return describeDiscriminator(issue);
    default:
      return undefined;
  }
}

/** Message of a discriminated union: lists the values of its discriminator. */
function describeDiscriminator({
  discriminator,
  options,
  input,
}: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if (typeof discriminator !== "string" || !Array.isArray(options)) return "";
  return oneOf(options, (input as Record<string, unknown> | null)?.[discriminator]);
}

function oneOf(values: readonly unknown[], input: unknown): string {
  const names = values.map(String);
  return `expected ${listed(names)}, got ${show(input)}${suggest(input, names)}`;
}

/** Returns `; did you mean "stop"?` when the input is close to one of the words. */
function suggest(input: unknown, words: readonly string[]): string {
  const near = typeof input === "string" ? nearest(input, words) : undefined;
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** Message of a union of words and something else: `expected on, off or {…}, got "of"; did you mean "off"?` */
export function wordsOr(words: readonly string[], otherwise: string) {
  return ({ input }: { readonly input?: unknown }) =>
    `expected ${listed([...words, otherwise])}, got ${show(input)}${suggest(input, words)}`;
}

/** Joins names: "a", "a or b", "a, b or c". */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "nothing";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}

/** Words of a limit that is allowed itself, and of one that is not. */
interface LimitWords {
  readonly inclusive: string;
  readonly exclusive: string;
}

const LOWER: LimitWords = { inclusive: "at least", exclusive: "more than" };
const UPPER: LimitWords = { inclusive: "at most", exclusive: "less than" };

interface Bounded {
  readonly origin?: string;
  readonly inclusive?: boolean;
  readonly input?: unknown;
}

function bound({ inclusive, exclusive }: LimitWords, limit: number | bigint, issue: Bounded): string {
  const unit = issue.origin === "string" ? " characters" : issue.origin === "array" ? " entries" : "";
  return `${issue.inclusive === false ? exclusive : inclusive} ${limit}${unit}`;
}

function size({ input }: Bounded): string {
  return Array.isArray(input) ? `${input.length}` : show(input);
}
