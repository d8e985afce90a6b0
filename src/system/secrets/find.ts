// Which values of an environment are secrets: by the variable's name, by the value's shape, or because somebody said so.
import fs from "node:fs";
import os from "node:os";
import { isNamedPassword, isNamedPlace, isNamedSecret } from "./names.ts";
import { type Secret, SHORTEST } from "./secret.ts";
import { shapedSecrets } from "./shapes.ts";

export type Env = Readonly<Record<string, string | undefined>>;

const SHORTEST_LINE = 16;
const DEEPEST = 5;

const COMMON = new Set(
  "true false enabled disabled required optional undefined localhost 127.0.0.1 password changeme".split(" "),
);

/** Too short, or found in any text: to mask it would hide much and protect nothing. */
export function isCommon({ name, value }: Secret): boolean {
  if (value.length < SHORTEST || value === name || COMMON.has(value.toLowerCase())) return true;
  const { USER, LOGNAME } = process.env;
  return [USER, LOGNAME, os.hostname()].includes(value) || new Set(value).size < 3;
}

function isSetting(name: string, value: string): boolean {
  return /^[\d.,:+-]+$/.test(value) && !isNamedPassword(name);
}

function isPlace(name: string, value: string): boolean {
  if (isNamedPlace(name) && /^(?:[~.]{0,2}\/|[A-Za-z]:\\)/.test(value)) return true;
  return (isNamedPlace(name) || value.includes("/")) && value.length < 4096 && fs.existsSync(value);
}

/** A key file or a list of keys is also printed line by line; its first and last line are no secret. */
function linesOf(value: string): string[] {
  const lines = value.split(/\r?\n|\\n/).map((line) => line.trim());
  if (lines.length < 2) return [];
  return lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----"));
}

/** As it is, with plain line ends where it has others or writes them as \n, and line by line. */
function formsOf(value: string): string[] {
  const trimmed = value.trim();
  const unescaped = trimmed.replace(/\r\n|\\r\\n|\\n/g, "\n");
  return [trimmed, ...(unescaped === trimmed ? [] : [unescaped]), ...linesOf(trimmed)];
}

/** What a JSON value holds, as if each key were a variable: service accounts, registries' logins. */
function insideJson(value: string, deep: number): Secret[] {
  if (deep >= DEEPEST || !/^\s*[{[]/.test(value)) return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Object.entries(parsed as object).flatMap(([key, entry]) =>
      found(key, typeof entry === "string" ? entry : JSON.stringify(entry), deep + 1),
    );
  } catch {
    return [];
  }
}

function found(name: string, value: string, deep = 0): Secret[] {
  const byShape = shapedSecrets(value).flatMap(formsOf);
  const isWhole = isNamedSecret(name) && !isPlace(name, value) && !isSetting(name, value);
  const inside = insideJson(value, deep);
  // The lines of a JSON text are not all secrets; what it holds has been looked at.
  const whole = isWhole ? (inside.length > 0 ? [value.trim()] : formsOf(value)) : [];
  return [...[...whole, ...byShape].map((form) => ({ name, value: form })), ...inside].filter(
    (secret) => !isCommon(secret),
  );
}

/** The variable would be masked. */
export function looksSecret(name: string, value: string): boolean {
  return found(name, value).length > 0;
}

/** All secrets of the environment, each under the name of its variable. */
export function secretsIn(env: Env, named: readonly string[]): Secret[] {
  const said = named.flatMap((name) => formsOf(env[name] ?? "").map((value) => ({ name, value })));
  const seen = Object.entries(env).flatMap(([name, value]) =>
    found(name, value ?? "").map((secret) => ({ ...secret, name })),
  );
  return [...said, ...seen].filter((secret) => !isCommon(secret));
}
