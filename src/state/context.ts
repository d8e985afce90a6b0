// The store and the folders of a process.

import type { Store } from "#spec/store";
import type { Queue } from "#spec/submission";
import { postgres } from "#stores/postgres/postgres-store";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { type Home, homeFrom } from "./home.ts";

export interface Context {
  readonly home: Home;
  readonly store: Store;
  /** The queue of runs for workers; absent without workers. */
  readonly queue?: Queue;
}

/** Stores runs in the shared database (CONVERGE_DATABASE_URL) when it is set, otherwise in the state folder. */
export function openContext(env: NodeJS.ProcessEnv = process.env, store?: Store): Context {
  const home = homeFrom(env);
  if (store) return { home, store };
  const url = env.CONVERGE_DATABASE_URL;
  return url ? { home, store: postgres(url) } : { home, store: sqlite(home.database) };
}
