// SQLite without a compile step: Node's own where it has one, otherwise the same API from a prebuilt package.
import { createRequire } from "node:module";
import type { DatabaseSync } from "@photostructure/sqlite";

export type Database = InstanceType<typeof DatabaseSync>;

const require = createRequire(import.meta.url);

type Loaded = { DatabaseSync: typeof DatabaseSync };

/** Node 24 calls its SQLite experimental on every start; whoever runs an agent need not read that. */
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

/** Somebody else has the file just now. */
export function isBusy(error: unknown): boolean {
  return /locked|busy/i.test((error as Error).message);
}

export function openDatabase(file: string): Database {
  return new (loadModule().DatabaseSync)(file);
}
