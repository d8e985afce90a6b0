// SQLite without a compile step: Node's own where it has one, otherwise the same API from a prebuilt package.
import { createRequire } from "node:module";
import type { DatabaseSync } from "@photostructure/sqlite";

export type Database = InstanceType<typeof DatabaseSync>;

const require = createRequire(import.meta.url);

function loadModule(): { DatabaseSync: typeof DatabaseSync } {
  // Node 22.5 to 23 print a warning for node:sqlite, and its API was still changing there.
  const [major = 0] = process.versions.node.split(".").map(Number);
  return require(major >= 24 ? "node:sqlite" : "@photostructure/sqlite");
}

export function openDatabase(file: string): Database {
  return new (loadModule().DatabaseSync)(file);
}
