// The server's access token: 128 bits in a private file, so that browsers stay logged in across restarts.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir, readTail, writePrivate } from "#system/files";
import type { Home } from "./home.ts";

const TOKEN_BYTES = 16;
/** Length of 128 bits in base64. */
const MIN_LENGTH = 22;
const MAX_FILE_BYTES = 4_096;
const ALLOWED = /^[A-Za-z0-9._~+/=-]+$/;

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

export const tokenFileIn = (home: Home): string => path.join(home.dir, "server", "token");

export function loadOrCreateToken(home: Home): string {
  const file = tokenFileIn(home);
  const stored = readTail(file, MAX_FILE_BYTES).trim();
  if (stored.length >= MIN_LENGTH && ALLOWED.test(stored)) return stored;
  const token = newToken();
  privateDir(path.dirname(file));
  writePrivate(file, token);
  return token;
}

/** Reads the token from the user's file, which nobody else may read. */
export function readTokenFile(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new UsageError(`--token-file: there is no file ${file}`);
  if ((stat.mode & 0o077) !== 0)
    throw new UsageError(`--token-file: ${file} is readable by other users. Run: chmod 600 ${file}`);
  const token = readTail(file, MAX_FILE_BYTES).trim();
  if (token.length >= MIN_LENGTH && ALLOWED.test(token)) return token;
  throw new UsageError(
    `--token-file: expected one line of at least ${MIN_LENGTH} characters (letters, digits, . _ ~ + / = -) in ${file}. Create one with: openssl rand -hex 16`,
  );
}
