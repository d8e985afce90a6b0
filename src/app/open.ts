// The store and the folders a process works with.
import type { Store } from "#spec/store";
import { sqlite } from "#stores/sqlite";
import { type Home, homeFrom } from "./home.ts";

export interface App {
  readonly home: Home;
  readonly store: Store;
}

export function openApp(env: NodeJS.ProcessEnv = process.env, store?: Store): App {
  const home = homeFrom(env);
  return { home, store: store ?? sqlite(home.database) };
}
