// The store and the folders a process works with.
import type { Queue } from "#spec/queue";
import type { Store } from "#spec/store";
import { postgres } from "#stores/postgres/postgres-store";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { type Home, homeFrom } from "./home.ts";

export interface App {
  readonly home: Home;
  readonly store: Store;
  /** Where there are workers to give runs to. */
  readonly queue?: Queue;
}

/** Runs are kept in the database that a team shares, when there is one, or in the state folder. */
export function openApp(env: NodeJS.ProcessEnv = process.env, store?: Store): App {
  const home = homeFrom(env);
  if (store) return { home, store };
  const url = env.CONVERGE_DATABASE_URL;
  return url ? { home, store: postgres(url) } : { home, store: sqlite(home.database) };
}
