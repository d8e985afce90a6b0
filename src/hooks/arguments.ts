// What people type after /ralph: a task and a few options before or after it, with or without quotes.
import { UsageError } from "#spec/errors";
import { nearest } from "#text/nearest-name";
import { head, oneLine } from "#text/plain-text";
import { type Quoted, quotedAt } from "./quotes.ts";

export interface RalphArguments {
  readonly prompt: string;
  readonly maxIterations?: number;
  readonly promise?: string;
  /** Commands that must pass; empty: none, not even those of the task file. */
  readonly gates?: readonly string[];
}

const NAMES = ["max-iterations", "completion-promise", "gate", "no-gates"];
const MOST_ITERATIONS = 100_000;
/** A longer line is no statement of the agent's, and the promise would never be heard. */
const LONGEST_PROMISE = 200;
const SHOWN = 100;

const RALPH_USAGE =
  '/ralph "what is wanted" [--max-iterations N] [--completion-promise TEXT] [--gate COMMAND]… [--no-gates]';

interface Option {
  readonly name: string;
  readonly value: string;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  /** Absent: a piece of the task. */
  readonly option?: Option;
  readonly quoted?: Quoted;
}

function wrong(what: string): UsageError {
  return new UsageError(`${what}\nusage: ${RALPH_USAGE}`);
}

const shown = (text: string) => JSON.stringify(oneLine(head(text, SHOWN), SHOWN));

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

// Some keyboards make a dash of two hyphens.
const NAME = /(?:--|[—–])([a-z][\w-]{0,63})(?=[\s=]|$)/iy;
const GAP = /\s+/y;
const WORD = /\S+/y;

/** The value that begins at `at`; where the option ends. */
function valueAt(text: string, at: number, name: string): { readonly value: string; readonly end: number } {
  const assigned = text[at] === "=";
  const start = assigned ? at + 1 : at + (match(GAP, text, at)?.[0].length ?? 0);
  const quoted = quotedAt(text, start);
  if (quoted === "unclosed") throw wrong(`--${name}: the quote of its value is not closed`);
  if (quoted) return { value: quoted.text, end: quoted.end };
  const word = match(WORD, text, start)?.[0] ?? "";
  if (word === "" || (!assigned && word.startsWith("--")))
    throw wrong(`--${name} lacks its value${word && `, ${shown(word)} is another option`}`);
  return { value: word, end: start + word.length };
}

function optionAt(text: string, at: number): Piece | undefined {
  const found = match(NAME, text, at);
  const name = found?.[1] ?? "";
  if (!found || !NAMES.includes(name)) return undefined;
  const after = at + found[0].length;
  if (name !== "no-gates") {
    const { value, end } = valueAt(text, after, name);
    return { start: at, end, option: { name, value } };
  }
  if (text[after] === "=") throw wrong("--no-gates takes no value");
  return { start: at, end: after, option: { name, value: "" } };
}

/** The task may begin with quotes; later ones are part of it. */
function wordAt(text: string, at: number, begun: boolean): Piece {
  const quoted = begun ? undefined : quotedAt(text, at);
  if (typeof quoted === "object") return { start: at, end: quoted.end, quoted };
  return { start: at, end: at + (match(WORD, text, at)?.[0].length ?? 1) };
}

/** Pieces never overlap: the text is gone through once. */
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

/** What would silently be part of the task, and was probably meant as an option, is asked about. */
function refuseStrays(text: string, words: readonly Piece[], between: readonly Piece[]): void {
  const [stray] = between.flatMap(({ option }) => option ?? []);
  if (stray)
    throw wrong(
      `--${stray.name} stands in the middle of the task; write options before or after it, a value of several words in quotes, and the task in quotes if it speaks of options itself`,
    );
  const asked = new Set<string>();
  for (const { start, quoted } of words) {
    const name = quoted ? undefined : match(NAME, text, start)?.[1];
    if (name === undefined || asked.has(name)) continue;
    asked.add(name);
    const meant = nearest(name, NAMES);
    if (meant === undefined && start !== words[0]?.start) continue;
    const hint = meant === undefined ? "" : `; did you mean --${meant}?`;
    throw wrong(`unknown option --${name}${hint} (put the task in quotes if this is part of it)`);
  }
}

/** Between the options before it and those after it; in quotes it is what the quotes hold, to the byte. */
function taskIn(text: string, pieces: readonly Piece[]): string {
  const isWord = ({ option }: Piece) => option === undefined;
  const first = pieces.findIndex(isWord);
  const between = first < 0 ? [] : pieces.slice(first, pieces.findLastIndex(isWord) + 1);
  const [only, ...more] = between;
  if (only?.quoted && more.length === 0) return only.quoted.text;
  refuseStrays(text, between.filter(isWord), between);
  return text.slice(only?.start ?? 0, between.at(-1)?.end ?? 0);
}

function iterations(value: string): number {
  const number = Number(value);
  if (!/^\d{1,9}$/.test(value) || number < 1 || number > MOST_ITERATIONS)
    throw wrong(`--max-iterations: expected a number from 1 to ${MOST_ITERATIONS}, got ${shown(value)}`);
  return number;
}

function promiseOf(value: string): string {
  const words = value.replace(/\s+/g, " ").trim();
  if (words === "" || words.length > LONGEST_PROMISE || /[<>]/.test(words))
    throw wrong(
      `--completion-promise: expected at most ${LONGEST_PROMISE} characters without < and >, got ${shown(value)}`,
    );
  return words;
}

function gatesOf(options: readonly Option[]): readonly string[] | undefined {
  const gates = options.filter(({ name }) => name === "gate").map(({ value }) => value);
  if (gates.some((gate) => gate.trim() === "")) throw wrong("--gate: expected a command, got nothing");
  const none = options.some(({ name }) => name === "no-gates");
  if (none && gates.length > 0) throw wrong("give --gate or --no-gates, not both");
  return none || gates.length > 0 ? gates : undefined;
}

/** Throws UsageError, which says how it is written. */
export function parseRalph(text: string): RalphArguments {
  const pieces = piecesOf(text);
  const prompt = taskIn(text, pieces);
  if (prompt.trim() === "") throw wrong("say what is wanted");
  const options = pieces.flatMap(({ option }) => option ?? []);
  const last = (wanted: string) => options.findLast(({ name }) => name === wanted)?.value;
  const max = last("max-iterations");
  const promise = last("completion-promise");
  const gates = gatesOf(options);
  return {
    prompt,
    ...(max !== undefined && { maxIterations: iterations(max) }),
    ...(promise !== undefined && { promise: promiseOf(promise) }),
    ...(gates && { gates }),
  };
}
