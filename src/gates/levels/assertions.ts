// Expectations of a black-box case: each is a separate check with expected and actual values.
import { isDeepStrictEqual } from "node:util";
import { readInside } from "#system/files-inside";
import { runWithTimeout } from "#system/sync-timeout";
import { head, plain } from "#text/plain-text";
import { readSchema, type SchemaSource, schemaErrors } from "./schema.ts";

export interface Expectations {
  readonly exitCode: number;
  readonly stdout: StreamExpectations;
  readonly stderr: StreamExpectations;
  readonly files: readonly FileExpectation[];
}

export interface StreamExpectations {
  readonly contains: readonly string[];
  readonly excludes: readonly string[];
  /** Regular expressions; ^ and $ match at line ends. */
  readonly matches: readonly string[];
  /** The whole output parsed as JSON; key order does not matter. */
  readonly json?: unknown;
  readonly schema?: SchemaSource | undefined;
}

/** A file that the command must write, and the text or other file that it must equal. */
export interface FileExpectation {
  readonly path: string;
  readonly equals: string | { readonly file: string };
}

export interface CommandAnswer {
  /** The workspace. */
  readonly dir: string;
  /** Throws when the output is too long to read whole. */
  text(stream: Stream): string;
  /** The file's content, if this run of the command wrote it. */
  written(file: string): Promise<Buffer | undefined>;
}

export type Stream = "stdout" | "stderr";

export interface Mismatch {
  readonly message: string;
  readonly location?: string;
  readonly expected?: string;
  readonly actual?: string;
}

export interface Assertion {
  /** Suffix of the case's name. */
  readonly name: string;
  mismatch(answer: CommandAnswer): Mismatch | undefined | Promise<Mismatch | undefined>;
}

const MATCH_MS = 2_000;
const FIXTURE_BYTES = 16 * 1024 * 1024;

export function assertionsOf({ stdout, stderr, files }: Expectations): readonly Assertion[] {
  return [
    ...streamAssertions("stdout", stdout),
    ...streamAssertions("stderr", stderr),
    ...files.map(fileEquals),
  ];
}

function streamAssertions(stream: Stream, expected: StreamExpectations): readonly Assertion[] {
  return [
    ...expected.contains.map((text) => contains(stream, text)),
    ...expected.excludes.map((text) => excludes(stream, text)),
    ...expected.matches.map((pattern) => matches(stream, pattern)),
    ...(expected.json === undefined ? [] : [jsonEquals(stream, expected.json)]),
    ...(expected.schema === undefined ? [] : [fitsSchema(stream, expected.schema)]),
  ];
}

const quote = (text: string) => JSON.stringify(head(plain(text), 80));

function contains(stream: Stream, expected: string): Assertion {
  return {
    name: `${stream} contains ${quote(expected)}`,
    mismatch: (answer) => {
      const actual = answer.text(stream);
      if (actual.includes(expected)) return undefined;
      return { message: `${stream} does not contain the text`, expected, actual };
    },
  };
}

function excludes(stream: Stream, excluded: string): Assertion {
  return {
    name: `${stream} excludes ${quote(excluded)}`,
    mismatch: (answer) => {
      const text = answer.text(stream);
      const at = text.indexOf(excluded);
      if (at < 0) return undefined;
      const actual = text.slice(text.lastIndexOf("\n", at) + 1);
      return { message: `${stream} contains the text`, expected: `no ${quote(excluded)}`, actual };
    },
  };
}

function matches(stream: Stream, pattern: string): Assertion {
  const regExp = new RegExp(pattern, "mu");
  return {
    name: `${stream} matches ${pattern}`,
    mismatch: (answer) => {
      const actual = answer.text(stream);
      if (runWithTimeout(MATCH_MS, () => regExp.test(actual))) return undefined;
      return { message: `${stream} does not match`, expected: `a match of ${pattern}`, actual };
    },
  };
}

type Parsed = { readonly value: unknown } | { readonly mismatch: Mismatch };

function asJson(stream: Stream, text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const message = `${stream} is not JSON: ${(error as Error).message}`;
    return { mismatch: { message, expected: "JSON", actual: text } };
  }
}

function jsonEquals(stream: Stream, json: unknown): Assertion {
  return {
    name: `${stream} is the expected JSON`,
    mismatch: (answer) => {
      const parsed = asJson(stream, answer.text(stream));
      if ("mismatch" in parsed) return parsed.mismatch;
      if (isDeepStrictEqual(parsed.value, json)) return undefined;
      const [expected, actual] = [json, parsed.value].map((value) =>
        JSON.stringify(sortKeys(value), null, 1),
      );
      return { message: `${stream} is different JSON`, expected: expected ?? "", actual: actual ?? "" };
    },
  };
}

/** Sorts keys, so that the diff shows only real differences. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

function fitsSchema(stream: Stream, source: SchemaSource): Assertion {
  return {
    name: `${stream} fits the schema`,
    mismatch: async (answer) => {
      const schema = await readSchema(answer.dir, source);
      const text = answer.text(stream);
      const parsed = asJson(stream, text);
      if ("mismatch" in parsed) return parsed.mismatch;
      const errors = schemaErrors(parsed.value, schema);
      if (errors.length === 0) return undefined;
      const message = errors.map((each) => `${each.pointer || "the document"}: ${each.message}`).join("\n");
      return { message, expected: "JSON that fits the schema", actual: text };
    },
  };
}

function fileEquals({ path: file, equals }: FileExpectation): Assertion {
  return {
    name: `file ${file}`,
    mismatch: async (answer) => {
      const expected =
        typeof equals === "string"
          ? Buffer.from(equals)
          : await readInside(answer.dir, equals.file, FIXTURE_BYTES);
      const actual = await answer.written(file);
      if (actual === undefined)
        return {
          message: `the command did not write ${file}`,
          location: file,
          expected: "a file",
          actual: "none",
        };
      if (actual.equals(expected)) return undefined;
      const message = `${file} is not equal to ${typeof equals === "string" ? "the text" : equals.file}`;
      return {
        message,
        location: file,
        expected: expected.toString("utf8"),
        actual: actual.toString("utf8"),
      };
    },
  };
}
