// Loads SQLite without a compile step: node:sqlite where Node has it, otherwise the same API from a prebuilt package.
import { createRequire } from "node:module";
import type { DatabaseSync } from "@photostructure/sqlite";

export type Database = InstanceType<typeof DatabaseSync>;

const require = createRequire(import.meta.url);

type Loaded = { DatabaseSync: typeof DatabaseSync };

/** Suppresses the "experimental" warning that Node 24 prints for its SQLite. */
function loadQuietly(): Loaded {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return require("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

function loadModule(): Loaded {
  const [major = 0] = process.versions.node.split(".").map(Number);
  return major >= 24 ? loadQuietly() : require("@photostructure/sqlite");
}

/** Whether another connection holds a lock on the database. */
export function isBusy(error: unknown): boolean {
  return /locked|busy/i.test((error as Error).message);
}

export function openDatabase(file: string): Database {
  return new (loadModule().DatabaseSync)(file);
}
