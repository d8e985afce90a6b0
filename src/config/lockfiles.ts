// Default setup of a clean room: the install command of the project's lockfile.
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

/** No setup without a known lockfile. */
export function installFor(dir: string): Install {
  const isFile = (name: string) => fs.statSync(path.join(dir, name), { throwIfNoEntry: false })?.isFile();
  const lock = Object.keys(INSTALLS).find(isFile);
  if (lock === undefined) return { setup: [], cache: [] };
  const setup = [INSTALLS[lock]?.(readTail(path.join(dir, lock), LOCK_BYTES)) ?? ""];
  // No cache in a monorepo: only the package manager knows which folders install fills.
  if (isFile("pnpm-workspace.yaml") || hasWorkspaces(path.join(dir, "package.json")))
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
