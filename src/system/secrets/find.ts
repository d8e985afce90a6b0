// Finds the secrets of an environment: by the variable's name, by the value's shape, or named by the user.
import fs from "node:fs";
import os from "node:os";
import { isNamedPassword, isNamedPlace, isNamedSecret } from "./names.ts";
import { type Secret, SHORTEST } from "./secret.ts";
import { shapedSecrets } from "./shapes.ts";

export type Env = Readonly<Record<string, string | undefined>>;

const MIN_LINE_LENGTH = 16;
const MAX_DEPTH = 5;

const COMMON = new Set(
  "true false enabled disabled required optional undefined localhost 127.0.0.1 password changeme".split(" "),
);

/** Too short or too common: masking it would hide much and protect nothing. */
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

/** A multi-line key may be printed line by line; its BEGIN and END lines are not secret. */
function linesOf(value: string): string[] {
  const lines = value.split(/\r?\n|\\n/).map((line) => line.trim());
  if (lines.length < 2) return [];
  return lines.filter((line) => line.length >= MIN_LINE_LENGTH && !line.startsWith("-----"));
}

/** Forms of a value: as it is, with normalised line ends, and each long line. */
function formsOf(value: string): string[] {
  const trimmed = value.trim();
  const unescaped = trimmed.replace(/\r\n|\\r\\n|\\n/g, "\n");
  return [trimmed, ...(unescaped === trimmed ? [] : [unescaped]), ...linesOf(trimmed)];
}

/** Treats each key of a JSON value as a variable: service accounts, registry logins. */
function insideJson(value: string, deep: number): Secret[] {
  if (deep >= MAX_DEPTH || !/^\s*[{[]/.test(value)) return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Object.entries(parsed as object).flatMap(([key, entry]) =>
      secretsOf(key, typeof entry === "string" ? entry : JSON.stringify(entry), deep + 1),
    );
  } catch {
    return [];
  }
}

function secretsOf(name: string, value: string, deep = 0): Secret[] {
  const byShape = shapedSecrets(value).flatMap(formsOf);
  const isWhole = isNamedSecret(name) && !isPlace(name, value) && !isSetting(name, value);
  const inside = insideJson(value, deep);
  // Not every line of a JSON text is secret; its values have been checked one by one.
  const whole = isWhole ? (inside.length > 0 ? [value.trim()] : formsOf(value)) : [];
  return [...[...whole, ...byShape].map((form) => ({ name, value: form })), ...inside].filter(
    (secret) => !isCommon(secret),
  );
}

/** Whether the variable would be masked. */
export function looksSecret(name: string, value: string): boolean {
  return secretsOf(name, value).length > 0;
}

/** All secrets of the environment, each with the name of its variable. */
export function secretsIn(env: Env, named: readonly string[]): Secret[] {
  const listed = named.flatMap((name) => formsOf(env[name] ?? "").map((value) => ({ name, value })));
  const detected = Object.entries(env).flatMap(([name, value]) =>
    secretsOf(name, value ?? "").map((secret) => ({ ...secret, name })),
  );
  return [...listed, ...detected].filter((secret) => !isCommon(secret));
}
