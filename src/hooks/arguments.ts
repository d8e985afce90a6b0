// Parses the arguments of /ralph: a task with options before or after it, with or without quotes.
import { UsageError } from "#spec/errors";
import { nearest } from "#text/nearest-name";
import { head, oneLine } from "#text/plain-text";
import { type Quoted, quotedAt } from "./quotes.ts";

export interface RalphArguments {
  readonly prompt: string;
  readonly maxIterations?: number;
  readonly promise?: string;
  /** Gate commands. An empty list disables gates, including those of the task file. */
  readonly gates?: readonly string[];
}

const OPTION_NAMES = ["max-iterations", "completion-promise", "gate", "no-gates"];
const MAX_ITERATIONS = 100_000;
/** Limit of the promise: a longer line is never detected as a promise. */
const MAX_PROMISE_CHARS = 200;
const SHOWN_CHARS = 100;

const RALPH_USAGE =
  '/ralph "what is wanted" [--max-iterations N] [--completion-promise TEXT] [--gate COMMAND]… [--no-gates]';

interface Option {
  readonly name: string;
  readonly value: string;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  /** Absent for a word of the task. */
  readonly option?: Option;
  readonly quoted?: Quoted;
}

function usageError(what: string): UsageError {
  return new UsageError(`${what}\nusage: ${RALPH_USAGE}`);
}

const quoteForMessage = (text: string) => JSON.stringify(oneLine(head(text, SHOWN_CHARS), SHOWN_CHARS));

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

// Some keyboards turn two hyphens into a dash.
const NAME = /(?:--|[—–])([a-z][\w-]{0,63})(?=[\s=]|$)/iy;
const GAP = /\s+/y;
const WORD = /\S+/y;

/** Reads the option value at `at`, and where it ends. */
function valueAt(text: string, at: number, name: string): { readonly value: string; readonly end: number } {
  const hasEquals = text[at] === "=";
  const start = hasEquals ? at + 1 : at + (match(GAP, text, at)?.[0].length ?? 0);
  const quoted = quotedAt(text, start);
  if (quoted === "unclosed") throw usageError(`--${name}: the quote around its value is not closed`);
  if (quoted) return { value: quoted.text, end: quoted.end };
  const word = match(WORD, text, start)?.[0] ?? "";
  if (word === "" || (!hasEquals && word.startsWith("--")))
    throw usageError(`--${name} needs a value${word && `, but ${quoteForMessage(word)} is another option`}`);
  return { value: word, end: start + word.length };
}

function optionAt(text: string, at: number): Piece | undefined {
  const nameMatch = match(NAME, text, at);
  const name = nameMatch?.[1] ?? "";
  if (!nameMatch || !OPTION_NAMES.includes(name)) return undefined;
  const after = at + nameMatch[0].length;
  if (name !== "no-gates") {
    const { value, end } = valueAt(text, after, name);
    return { start: at, end, option: { name, value } };
  }
  if (text[after] === "=") throw usageError("--no-gates takes no value");
  return { start: at, end: after, option: { name, value: "" } };
}

/** Reads a word of the task. Only the first word may be a quoted text; later quotes belong to the task. */
function wordAt(text: string, at: number, begun: boolean): Piece {
  const quoted = begun ? undefined : quotedAt(text, at);
  if (typeof quoted === "object") return { start: at, end: quoted.end, quoted };
  return { start: at, end: at + (match(WORD, text, at)?.[0].length ?? 1) };
}

/** Splits the text into options and words in one pass. */
function piecesOf(text: string): readonly Piece[] {
  const gapAt = (at: number) => match(GAP, text, at)?.[0].length ?? 0;
  const pieces: Piece[] = [];
  let begun = false;
  for (let at = gapAt(0); at < text.length; ) {
    const piece: Piece = optionAt(text, at) ?? wordAt(text, at, begun);
    begun ||= piece.option === undefined;
    pieces.push(piece);
    at = piece.end + gapAt(piece.end);
  }
  return pieces;
}

/** Rejects words that were probably meant as options, which would silently become part of the task. */
function rejectMisplacedOptions(text: string, words: readonly Piece[], between: readonly Piece[]): void {
  const [misplaced] = between.flatMap(({ option }) => option ?? []);
  if (misplaced)
    throw usageError(
      `--${misplaced.name} is in the middle of the task; write options before or after the task, quote a value of several words, and quote the task if it mentions options`,
    );
  const checked = new Set<string>();
  for (const { start, quoted } of words) {
    const name = quoted ? undefined : match(NAME, text, start)?.[1];
    if (name === undefined || checked.has(name)) continue;
    checked.add(name);
    const suggestion = nearest(name, OPTION_NAMES);
    if (suggestion === undefined && start !== words[0]?.start) continue;
    const hint = suggestion === undefined ? "" : `; did you mean --${suggestion}?`;
    throw usageError(`unknown option --${name}${hint} (quote the task if this is part of it)`);
  }
}

/** Returns the task between leading and trailing options; a quoted task byte for byte. */
function extractTask(text: string, pieces: readonly Piece[]): string {
  const isWord = ({ option }: Piece) => option === undefined;
  const first = pieces.findIndex(isWord);
  const between = first < 0 ? [] : pieces.slice(first, pieces.findLastIndex(isWord) + 1);
  const [only, ...more] = between;
  if (only?.quoted && more.length === 0) return only.quoted.text;
  rejectMisplacedOptions(text, between.filter(isWord), between);
  return text.slice(only?.start ?? 0, between.at(-1)?.end ?? 0);
}

function parseIterations(value: string): number {
  const number = Number(value);
  if (!/^\d{1,9}$/.test(value) || number < 1 || number > MAX_ITERATIONS)
    throw usageError(
      `--max-iterations: expected a number from 1 to ${MAX_ITERATIONS}, got ${quoteForMessage(value)}`,
    );
  return number;
}

function parsePromise(value: string): string {
  const words = value.replace(/\s+/g, " ").trim();
  if (words === "" || words.length > MAX_PROMISE_CHARS || /[<>]/.test(words))
    throw usageError(
      `--completion-promise: expected at most ${MAX_PROMISE_CHARS} characters without < and >, got ${quoteForMessage(value)}`,
    );
  return words;
}

function parseGates(options: readonly Option[]): readonly string[] | undefined {
  const gates = options.filter(({ name }) => name === "gate").map(({ value }) => value);
  if (gates.some((gate) => gate.trim() === "")) throw usageError("--gate: expected a command, got nothing");
  const none = options.some(({ name }) => name === "no-gates");
  if (none && gates.length > 0) throw usageError("give --gate or --no-gates, not both");
  return none || gates.length > 0 ? gates : undefined;
}

/** Throws UsageError with the usage line. */
export function parseRalph(text: string): RalphArguments {
  const pieces = piecesOf(text);
  const prompt = extractTask(text, pieces);
  if (prompt.trim() === "") throw usageError("no task given");
  const options = pieces.flatMap(({ option }) => option ?? []);
  const last = (wanted: string) => options.findLast(({ name }) => name === wanted)?.value;
  const max = last("max-iterations");
  const promise = last("completion-promise");
  const gates = parseGates(options);
  return {
    prompt,
    ...(max !== undefined && { maxIterations: parseIterations(max) }),
    ...(promise !== undefined && { promise: parsePromise(promise) }),
    ...(gates && { gates }),
  };
}
