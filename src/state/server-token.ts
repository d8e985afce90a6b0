// The secret that lets people into the server: 128 bits, in a private file, so that a restart keeps those who are in.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir, readTail, writePrivate } from "#system/files";
import type { Home } from "./home.ts";

const BYTES = 16;
/** As many characters as 128 bits take when each carries six. */
const SHORTEST = 22;
const LONGEST_BYTES = 4_096;
const ALLOWED = /^[A-Za-z0-9._~+/=-]+$/;

export const newToken = (): string => randomBytes(BYTES).toString("base64url");

export const tokenFileIn = (home: Home): string => path.join(home.dir, "server", "token");

export function ownToken(home: Home): string {
  const file = tokenFileIn(home);
  const kept = readTail(file, LONGEST_BYTES).trim();
  if (kept.length >= SHORTEST && ALLOWED.test(kept)) return kept;
  const token = newToken();
  privateDir(path.dirname(file));
  writePrivate(file, token);
  return token;
}

/** From a file of the user's own, which nobody else may read. */
export function givenToken(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new UsageError(`--token-file: there is no file ${file}`);
  if ((stat.mode & 0o077) !== 0)
    throw new UsageError(`--token-file: others may read ${file}; take that away with: chmod 600 ${file}`);
  const token = readTail(file, LONGEST_BYTES).trim();
  if (token.length >= SHORTEST && ALLOWED.test(token)) return token;
  throw new UsageError(
    `--token-file: expected one line of at least ${SHORTEST} characters (letters, digits, . _ ~ + / = -) in ${file}; make one with: openssl rand -hex 16`,
  );
}
