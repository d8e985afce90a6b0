// What people type after /ralph: a task and a few options, in any order, with or without quotes.
import { UsageError } from "#spec/errors";
import { nearest } from "#spec/nearest";

export interface RalphArguments {
  readonly prompt: string;
  readonly maxIterations?: number;
  readonly promise?: string;
  /** Commands that must pass; empty: none, not even those of the task file. */
  readonly gates?: readonly string[];
}

const VALUES = ["max-iterations", "completion-promise", "gate"] as const;
const FLAGS = ["no-gates"] as const;
const NAMES: readonly string[] = [...VALUES, ...FLAGS];

export const RALPH_USAGE =
  '/ralph "what is wanted" [--max-iterations N] [--completion-promise TEXT] [--gate COMMAND]… [--no-gates]';

interface Option {
  readonly name: string;
  readonly value: string;
}

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'|“[^”]*”`;
const VALUE = String.raw`(${QUOTED}|[^\s"'“][^\s]*)`;
const LEADING = new RegExp(
  String.raw`^\s*--(?:(no-gates)(?=\s|$)|(${VALUES.join("|")})(?:=|\s+)${VALUE})(?=\s|$)`,
  "s",
);
const TRAILING = new RegExp(
  String.raw`(?:^|\s)--(?:(no-gates)|(${VALUES.join("|")})(?:=|\s+)${VALUE})\s*$`,
  "s",
);
const MENTIONED = new RegExp(String.raw`(?:^|\s)--(${NAMES.join("|")})(?=[\s=]|$)`);

function wrong(what: string): UsageError {
  return new UsageError(`${what}\nusage: ${RALPH_USAGE}`);
}

/** Without the quotes around it; in double ones `\"` is a quote. */
function unquoted(text: string): string {
  const [first = "", last] = [text[0], text.at(-1)];
  if (text.length < 2 || `${first}${last}` === "") return text;
  if (first === '"' && last === '"') return text.slice(1, -1).replace(/\\(["\\])/g, "$1");
  return (first === "'" && last === "'") || (first === "“" && last === "”") ? text.slice(1, -1) : text;
}

function optionOf([, flag, name = "", value = ""]: readonly (string | undefined)[]): Option {
  return flag === undefined ? { name, value: unquoted(value) } : { name: flag, value: "" };
}

/** Takes options off the front, then off the end; what is left is the task. */
function split(text: string): { readonly rest: string; readonly options: readonly Option[] } {
  const options: Option[] = [];
  let rest = text;
  for (let found = LEADING.exec(rest); found; found = LEADING.exec(rest)) {
    options.push(optionOf(found));
    rest = rest.slice(found[0].length);
  }
  const whole = new RegExp(String.raw`^\s*(${QUOTED})(?=\s|$)`, "s").exec(rest);
  if (whole) {
    // The quotes hold the whole task when nothing but options follows.
    const after = split(rest.slice(whole[0].length));
    if (after.rest.trim() === "") return { rest: whole[1] ?? "", options: [...options, ...after.options] };
  }
  const last: Option[] = [];
  for (let found = TRAILING.exec(rest); found; found = TRAILING.exec(rest)) {
    last.unshift(optionOf(found));
    rest = rest.slice(0, found.index);
  }
  return { rest, options: [...options, ...last] };
}

/** An option that would silently be part of the task is asked about. */
function refuseStray(task: string): void {
  const mentioned = MENTIONED.exec(task)?.[1];
  if (mentioned !== undefined)
    throw wrong(
      `--${mentioned} stands in the middle of the task, or lacks its value; write options before or after the task, or put the task in quotes`,
    );
  const strays = [...task.matchAll(/(?:^\s*|\s)--([a-z][a-z-]*)(?=[\s=]|$)/g)].map(([, name = ""]) => name);
  for (const name of strays) {
    const meant = nearest(name, NAMES);
    if (meant !== undefined)
      throw wrong(`unknown option --${name}; did you mean --${meant}? (or put the task in quotes)`);
  }
}

function iterations(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 100_000)
    throw wrong(`--max-iterations: expected a number from 1 to 100000, got "${value}"`);
  return number;
}

function one(options: readonly Option[], name: string): string | undefined {
  return options.findLast((option) => option.name === name)?.value;
}

export function parseRalph(text: string): RalphArguments {
  const { rest, options } = split(text);
  const task = rest.trim();
  const prompt = unquoted(task);
  if (prompt === task) refuseStray(task);
  if (prompt.trim() === "") throw wrong("say what is wanted");
  const max = one(options, "max-iterations");
  const promise = one(options, "completion-promise")?.replace(/\s+/g, " ").trim();
  if (promise !== undefined && (promise === "" || /[<>]/.test(promise)))
    throw wrong(`--completion-promise: expected words without < and >, got "${promise}"`);
  const gates = options.filter(({ name }) => name === "gate").map(({ value }) => value);
  const none = options.some(({ name }) => name === "no-gates");
  if (none && gates.length > 0) throw wrong("give --gate or --no-gates, not both");
  return {
    prompt,
    ...(max !== undefined && { maxIterations: iterations(max) }),
    ...(promise !== undefined && { promise }),
    ...((none || gates.length > 0) && { gates }),
  };
}
