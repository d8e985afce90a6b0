// What makes a fresh copy of a project ready when nobody says so: the install that its lockfile asks for.
import fs from "node:fs";
import path from "node:path";
import type { CleanRoom } from "#spec/task";
import { readTail } from "#system/files";

type Install = Pick<CleanRoom, "setup" | "cache">;

const INSTALLS: Readonly<Record<string, (lock: string) => string>> = {
  "package-lock.json": () => "npm ci",
  "npm-shrinkwrap.json": () => "npm ci",
  "pnpm-lock.yaml": () => "pnpm install --frozen-lockfile",
  "yarn.lock": (lock) =>
    /^# yarn lockfile v1$/m.test(lock) ? "yarn install --frozen-lockfile" : "yarn install --immutable",
  "bun.lock": () => "bun install --frozen-lockfile",
  "bun.lockb": () => "bun install --frozen-lockfile",
};

const LOCK_BYTES = 1_048_576;

/** Nothing to do when there is no lockfile that we know. */
export function installFor(dir: string): Install {
  const isThere = (name: string) => fs.statSync(path.join(dir, name), { throwIfNoEntry: false })?.isFile();
  const lock = Object.keys(INSTALLS).find(isThere);
  if (lock === undefined) return { setup: [], cache: [] };
  const setup = [INSTALLS[lock]?.(readTail(path.join(dir, lock), LOCK_BYTES)) ?? ""];
  // In a monorepo, install fills folders that only the package manager knows.
  if (isThere("pnpm-workspace.yaml") || hasWorkspaces(path.join(dir, "package.json")))
    return { setup, cache: [] };
  return { setup, cache: [{ path: "node_modules", key: [lock, "package.json", ".npmrc"] }] };
}

function hasWorkspaces(file: string): boolean {
  try {
    return (JSON.parse(readTail(file, LOCK_BYTES)) as { workspaces?: unknown }).workspaces !== undefined;
  } catch {
    return false;
  }
}
