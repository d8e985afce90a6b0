// Inspects a sandbox from outside the programs under test: its store and the files beside the workspace.
import fs from "node:fs";
import path from "node:path";
import type { RunEvent } from "#spec/event";
import { type Store, sqlite } from "../../src/index.ts";
import type { Sandbox } from "./sandbox.ts";

/** Files beside the workspace, which no snapshot or restore includes. */
export function beside(box: Sandbox) {
  const place = (name: string) => path.join(path.dirname(box.dir), name);
  const exists = (name: string) => fs.existsSync(place(name));
  const read = (name: string) => (exists(name) ? fs.readFileSync(place(name), "utf8") : "");
  return {
    place,
    exists,
    read,
    lines: (name: string) => read(name).split("\n").filter(Boolean),
    touch: (name: string) => fs.writeFileSync(place(name), ""),
  };
}

async function withStore<T>(box: Sandbox, look: (store: Store) => Promise<T>): Promise<T> {
  const store = sqlite(path.join(box.home, "converge.db"));
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

/** The ids of all runs, newest first. */
export async function runIds(box: Sandbox): Promise<string[]> {
  if (!fs.existsSync(path.join(box.home, "converge.db"))) return [];
  return withStore(box, async (store) => (await store.runs()).map((row) => row.id));
}

/** Stored events of the newest run, whether it has ended or not. */
export function stored(box: Sandbox): Promise<readonly RunEvent[]> {
  return withStore(box, async (store) => store.read((await store.runs())[0]?.id ?? ""));
}
